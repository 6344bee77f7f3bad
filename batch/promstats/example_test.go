package promstats_test

import (
	"context"
	"fmt"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/batch"
	"github.com/cdcodec/cdcodec/batch/promstats"
)

func Example() {
	ctx := context.Background()
	p, err := batch.NewPipeline(ctx, batch.PipelineOptions{
		Convert: cdcodec.Options{From: cdcodec.FromCanalJSON},
		Sink:    batch.SinkFunc(func(ctx context.Context, b *batch.Batch) error { return nil }),
	})
	if err != nil {
		panic(err)
	}
	registry := prometheus.NewRegistry() // or prometheus.DefaultRegisterer
	registry.MustRegister(promstats.NewCollector(p.Stats, prometheus.Labels{"sink": "none"}))

	record := []byte(`{"data":[{"id":"1"}],"database":"shop","table":"orders","type":"INSERT","isDdl":false}`)
	_, _ = p.Submit(ctx, batch.Record{Value: record}, batch.Record{Value: record})
	if err := p.Close(ctx); err != nil {
		panic(err)
	}

	families, _ := registry.Gather() // promhttp.HandlerFor(registry, …) does it for a scrape
	for _, f := range families {
		if f.GetName() == "cdcodec_pipeline_messages_total" {
			fmt.Println(f.GetName(), f.Metric[0].GetCounter().GetValue())
		}
	}
	// Output: cdcodec_pipeline_messages_total 2
}
