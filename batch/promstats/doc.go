// Package promstats shows the Stats of a [batch.Pipeline] to Prometheus.
//
//	name                                        type     what                                          of Stats
//	cdcodec_pipeline_records_total              counter  records taken                                 Submitted
//	cdcodec_pipeline_acknowledged_records_total counter  records delivered, or found bad and given     Acknowledged
//	                                                     to DeadLetter
//	cdcodec_pipeline_bad_records_total          counter  records that could not be converted           Bad
//	cdcodec_pipeline_messages_total             counter  messages delivered                            Messages
//	cdcodec_pipeline_batches_total              counter  batches delivered                             Batches
//	cdcodec_pipeline_raw_bytes_total            counter  bytes of these before compression             RawBytes
//	cdcodec_pipeline_sent_bytes_total           counter  bytes of these as they were sent              SentBytes
//	cdcodec_pipeline_retries_total              counter  tries that failed and were followed by        Retries
//	                                                     another
//	cdcodec_pipeline_failed_batches_total       counter  batches given up; the pipeline has ended      Failed
//	cdcodec_pipeline_in_flight_bytes            gauge    bytes that MaxInFlight bounds                 InFlight
//	cdcodec_pipeline_latency_seconds            summary  from Submit to acknowledgement, since the     Latency
//	                                                     start; quantiles 0.5, 0.9, 0.99, 0.999
//	cdcodec_pipeline_latency_max_seconds        gauge    the longest of these                          Latency.Max
//
// Useful with them: rate(cdcodec_pipeline_records_total) - rate(…acknowledged_records_total)
// is how fast the pipeline falls behind; sent over raw bytes is what compression of whole batches leaves;
// the increase of retries tells that the sink is in trouble before anything is lost.
//
// The quantiles are of the whole life of the Pipeline: they cannot be averaged over
// several, and old times weigh as much as new ones. rate of _sum over rate of _count
// is the mean of late.
package promstats
