// Package cdcodec turns change-data-capture streams into Canal-JSON without
// unmarshalling them: a [Transcoder] takes the bytes of a record as Alibaba's
// Canal writes them (an Entry, or a Packet from Kafka) and appends the messages
// of JSON that Canal itself would have made of it, byte for byte, to a buffer
// of the caller's.
//
// The packages below it can be used by themselves: wire reads protobuf in
// place, wire/canal knows Canal's messages, change is the model of a change,
// fastjson writes it.
package cdcodec
