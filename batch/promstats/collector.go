package promstats

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/cdcodec/cdcodec/batch"
)

// NewCollector returns a collector of what stats returns: the method Stats of a
// [batch.Pipeline], or a function that adds up several. It is called once for each scrape. labels
// are the same on all metrics (nil: none); with several Pipelines in one registry they
// tell which one it is.
func NewCollector(stats func() batch.Stats, labels prometheus.Labels) prometheus.Collector {
	c := &collector{stats: stats}
	desc := func(name, help string) *prometheus.Desc {
		return prometheus.NewDesc("cdcodec_pipeline_"+name, help, nil, labels)
	}
	counter := func(name, help string, value func(*batch.Stats) uint64) {
		c.counters = append(c.counters, counter{desc(name, help), value})
	}
	counter("records_total", "Records taken.", func(s *batch.Stats) uint64 { return s.Submitted })
	counter("acknowledged_records_total", "Records delivered, or found bad and given to DeadLetter.", func(s *batch.Stats) uint64 { return s.Acknowledged })
	counter("bad_records_total", "Records that could not be converted.", func(s *batch.Stats) uint64 { return s.Bad })
	counter("messages_total", "Messages delivered.", func(s *batch.Stats) uint64 { return s.Messages })
	counter("batches_total", "Batches delivered.", func(s *batch.Stats) uint64 { return s.Batches })
	counter("raw_bytes_total", "Bytes of the batches delivered, before compression.", func(s *batch.Stats) uint64 { return s.RawBytes })
	counter("sent_bytes_total", "Bytes of the batches delivered, as they were sent.", func(s *batch.Stats) uint64 { return s.SentBytes })
	counter("retries_total", "Tries to send a batch that failed and were followed by another.", func(s *batch.Stats) uint64 { return s.Retries })
	counter("failed_batches_total", "Batches given up; the pipeline has ended.", func(s *batch.Stats) uint64 { return s.Failed })
	c.inFlight = desc("in_flight_bytes", "Bytes of records that are not acknowledged, and of what they became.")
	c.latency = desc("latency_seconds", "Time from Submit to acknowledgement, since the pipeline was started.")
	c.longest = desc("latency_max_seconds", "Longest time from Submit to acknowledgement, since the pipeline was started.")
	return c
}

type collector struct {
	stats    func() batch.Stats
	counters []counter
	inFlight *prometheus.Desc
	latency  *prometheus.Desc
	longest  *prometheus.Desc
}

type counter struct {
	desc  *prometheus.Desc
	value func(*batch.Stats) uint64
}

// Describe implements [prometheus.Collector].
func (c *collector) Describe(out chan<- *prometheus.Desc) {
	for _, k := range c.counters {
		out <- k.desc
	}
	out <- c.inFlight
	out <- c.latency
	out <- c.longest
}

// Collect implements [prometheus.Collector].
func (c *collector) Collect(out chan<- prometheus.Metric) {
	s := c.stats()
	for _, k := range c.counters {
		out <- prometheus.MustNewConstMetric(k.desc, prometheus.CounterValue, float64(k.value(&s)))
	}
	out <- prometheus.MustNewConstMetric(c.inFlight, prometheus.GaugeValue, float64(s.InFlight))
	l := &s.Latency
	var quantiles map[float64]float64
	if l.Count > 0 { // or else there are none
		quantiles = map[float64]float64{0.5: l.P50.Seconds(), 0.9: l.P90.Seconds(), 0.99: l.P99.Seconds(), 0.999: l.P999.Seconds()}
	}
	out <- prometheus.MustNewConstSummary(c.latency, l.Count, l.Seconds, quantiles)
	out <- prometheus.MustNewConstMetric(c.longest, prometheus.GaugeValue, l.Max.Seconds())
}
