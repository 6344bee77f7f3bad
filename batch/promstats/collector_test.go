package promstats_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/cdcodec/cdcodec/batch"
	"github.com/cdcodec/cdcodec/batch/promstats"
)

var some = batch.Stats{
	Submitted: 1001, Acknowledged: 1000, Bad: 3, Messages: 2400, Batches: 12, RawBytes: 1 << 33, SentBytes: 1 << 30, Retries: 4, Failed: 1, InFlight: 4096,
	Latency: batch.Latency{Count: 1000, Seconds: 2.5, P50: time.Millisecond, P90: 2 * time.Millisecond, P99: 40 * time.Millisecond, P999: time.Second, Max: 1500 * time.Millisecond},
}

const want = `
# HELP cdcodec_pipeline_acknowledged_records_total Records delivered, or found bad and given to DeadLetter.
# TYPE cdcodec_pipeline_acknowledged_records_total counter
cdcodec_pipeline_acknowledged_records_total{sink="files"} 1000
# HELP cdcodec_pipeline_bad_records_total Records that could not be converted.
# TYPE cdcodec_pipeline_bad_records_total counter
cdcodec_pipeline_bad_records_total{sink="files"} 3
# HELP cdcodec_pipeline_batches_total Batches delivered.
# TYPE cdcodec_pipeline_batches_total counter
cdcodec_pipeline_batches_total{sink="files"} 12
# HELP cdcodec_pipeline_failed_batches_total Batches given up; the pipeline has ended.
# TYPE cdcodec_pipeline_failed_batches_total counter
cdcodec_pipeline_failed_batches_total{sink="files"} 1
# HELP cdcodec_pipeline_in_flight_bytes Bytes of records that are not acknowledged, and of what they became.
# TYPE cdcodec_pipeline_in_flight_bytes gauge
cdcodec_pipeline_in_flight_bytes{sink="files"} 4096
# HELP cdcodec_pipeline_latency_max_seconds Longest time from Submit to acknowledgement, since the pipeline was started.
# TYPE cdcodec_pipeline_latency_max_seconds gauge
cdcodec_pipeline_latency_max_seconds{sink="files"} 1.5
# HELP cdcodec_pipeline_latency_seconds Time from Submit to acknowledgement, since the pipeline was started.
# TYPE cdcodec_pipeline_latency_seconds summary
cdcodec_pipeline_latency_seconds{sink="files",quantile="0.5"} 0.001
cdcodec_pipeline_latency_seconds{sink="files",quantile="0.9"} 0.002
cdcodec_pipeline_latency_seconds{sink="files",quantile="0.99"} 0.04
cdcodec_pipeline_latency_seconds{sink="files",quantile="0.999"} 1
cdcodec_pipeline_latency_seconds_sum{sink="files"} 2.5
cdcodec_pipeline_latency_seconds_count{sink="files"} 1000
# HELP cdcodec_pipeline_messages_total Messages delivered.
# TYPE cdcodec_pipeline_messages_total counter
cdcodec_pipeline_messages_total{sink="files"} 2400
# HELP cdcodec_pipeline_raw_bytes_total Bytes of the batches delivered, before compression.
# TYPE cdcodec_pipeline_raw_bytes_total counter
cdcodec_pipeline_raw_bytes_total{sink="files"} 8.589934592e+09
# HELP cdcodec_pipeline_records_total Records taken.
# TYPE cdcodec_pipeline_records_total counter
cdcodec_pipeline_records_total{sink="files"} 1001
# HELP cdcodec_pipeline_retries_total Tries to send a batch that failed and were followed by another.
# TYPE cdcodec_pipeline_retries_total counter
cdcodec_pipeline_retries_total{sink="files"} 4
# HELP cdcodec_pipeline_sent_bytes_total Bytes of the batches delivered, as they were sent.
# TYPE cdcodec_pipeline_sent_bytes_total counter
cdcodec_pipeline_sent_bytes_total{sink="files"} 1.073741824e+09
`

func collector(s batch.Stats, sink string) prometheus.Collector {
	return promstats.NewCollector(func() batch.Stats { return s }, prometheus.Labels{"sink": sink})
}

func TestText(t *testing.T) {
	c := collector(some, "files")
	if err := testutil.CollectAndCompare(c, strings.NewReader(want)); err != nil {
		t.Error(err)
	}
	problems, err := testutil.CollectAndLint(c)
	if err != nil || len(problems) > 0 {
		t.Error(problems, err)
	}
}

// TestPedantic: a registry that checks all finds what is collected as it was described, of
// several Pipelines too, and of one that has done nothing.
func TestPedantic(t *testing.T) {
	r := prometheus.NewPedanticRegistry()
	r.MustRegister(collector(some, "files"), collector(batch.Stats{}, "http"))
	families, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	if len(families) != 12 {
		t.Errorf("%d metrics", len(families))
	}
	for _, f := range families {
		if len(f.Metric) != 2 {
			t.Errorf("%s: %d of them", f.GetName(), len(f.Metric))
		}
	}
	if err := r.Register(collector(some, "http")); err == nil {
		t.Error("the same labels twice are no error")
	}
}

// TestTable: the table in doc.go has each metric, with its type, and no other.
func TestTable(t *testing.T) {
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^//\t(cdcodec_\w+) +(\w+)`).FindAllStringSubmatch(string(text), -1) {
		rows[m[1]] = m[2]
	}
	for _, m := range regexp.MustCompile(`(?m)^# TYPE (\w+) (\w+)$`).FindAllStringSubmatch(want, -1) {
		if rows[m[1]] != m[2] {
			t.Errorf("%s is a %q in the table, not a %s", m[1], rows[m[1]], m[2])
		}
		delete(rows, m[1])
	}
	if len(rows) > 0 {
		t.Errorf("in the table only: %v", rows)
	}
}
