package batch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// Sink is where batches go.
type Sink interface {
	// Send delivers a batch, and returns when it is delivered. It is called for one batch
	// after the other, in order, never for two at once. The batch and its bytes are
	// good until it returns. ctx ends when the Pipeline is given up; Send must return
	// then.
	//
	// With an error the batch counts as not delivered and is tried again, as
	// PipelineOptions.Retry says, so that what the sink has taken of it is sent twice. An error
	// that another try cannot mend is a [Permanent] one.
	Send(ctx context.Context, b *Batch) error
}

// SinkFunc is a function that is a [Sink].
type SinkFunc func(ctx context.Context, b *Batch) error

// Send calls f.
func (f SinkFunc) Send(ctx context.Context, b *Batch) error { return f(ctx, b) }

// Permanent wraps an error of Send that another try cannot mend; nil stays nil.
func Permanent(err error) error { return backoff.Permanent(err) }

// After wraps an error of Send after which another try makes sense only so much later, as
// the server says: that pause is made in place of [Retry]'s own.
func After(err error, pause time.Duration) error {
	return &laterError{err, &backoff.RetryAfterError{Duration: pause}}
}

type laterError struct {
	err   error
	after *backoff.RetryAfterError
}

func (e *laterError) Error() string   { return e.err.Error() }
func (e *laterError) Unwrap() []error { return []error{e.err, e.after} }

// Retry says how a Send that failed is tried again. The zero value does not.
type Retry struct {
	// Tries is how often a batch is sent in all; 0 means once, a negative number as
	// often as it takes.
	Tries int

	// The first pause is about Initial long (0: 100 ms), each one half as long again
	// as the one before, up to Max (0: 30 s); all of them give or take a half, by
	// chance, so that many who wait do not come back at once.
	Initial time.Duration
	Max     time.Duration

	// Failed, if set, is told of each try that is to be followed by another after a
	// pause: so a sink that is out of order for long does not stay unseen.
	Failed func(err error, pause time.Duration)
}

// send sends b, again and again if it must. It returns how often it tried. failed is
// called after each try that is to be followed by another.
func (r *Retry) send(ctx context.Context, s Sink, b *Batch, failed func()) (int, error) {
	tries := 0
	var last error // Retry has others, too: the context's, and what a Permanent is around
	try := func() (struct{}, error) {
		tries++
		last = s.Send(ctx, b)
		return struct{}{}, last
	}
	if r.Tries == 0 || r.Tries == 1 {
		_, _ = try()
		return tries, plain(last)
	}
	pauses := backoff.NewExponentialBackOff()
	if r.Initial > 0 {
		pauses.InitialInterval = r.Initial
	} else {
		pauses.InitialInterval = 100 * time.Millisecond
	}
	if r.Max > 0 {
		pauses.MaxInterval = r.Max
	} else {
		pauses.MaxInterval = 30 * time.Second
	}
	pauses.InitialInterval = min(pauses.InitialInterval, pauses.MaxInterval)
	_, _ = backoff.Retry(ctx, try,
		backoff.WithBackOff(pauses),
		backoff.WithMaxTries(uint(max(r.Tries, 0))), // 0: no limit
		backoff.WithMaxElapsedTime(0),
		backoff.WithNotify(func(err error, pause time.Duration) {
			failed()
			if r.Failed != nil {
				r.Failed(err, pause)
			}
		}),
	)
	return tries, plain(last)
}

// plain takes the wrapping of Permanent off.
func plain(err error) error {
	var p *backoff.PermanentError
	if errors.As(err, &p) && p == err {
		return p.Err
	}
	return err
}

// SendError says which batch a sink did not take.
type SendError struct {
	First, Last int64 // numbers of the records of its first and last message
	Tries       int
	Err         error // what Send returned last
}

// Error tells the place and the cause in one line.
func (e *SendError) Error() string {
	return fmt.Sprintf("batch: records %d to %d not sent in %d tries: %v", e.First, e.Last, e.Tries, e.Err)
}

// Unwrap returns the cause.
func (e *SendError) Unwrap() error { return e.Err }

// RecordError says which record was bad.
type RecordError struct {
	Record int64 // its number, from 0
	Err    error // the Transcoder's
}

// Error tells the place and the cause in one line.
func (e *RecordError) Error() string { return fmt.Sprintf("batch: record %d: %v", e.Record, e.Err) }

// Unwrap returns the cause.
func (e *RecordError) Unwrap() error { return e.Err }

// ErrClosed is what Submit and Flush of a [Pipeline] return after Close.
var ErrClosed = errors.New("batch: the pipeline is closed")
