package jsonfiles

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/cdcodec/cdcodec/batch"
	"github.com/cdcodec/cdcodec/examples/input"
)

// patience is how long Run still delivers after ctx has ended.
const patience = 10 * time.Second

// Run puts what the records of r become into d, as o says, whose Sink and Acknowledge it
// sets, and closes d: so that the last file has its final name too. r must have been made
// for d's Position. It ends with the input or with ctx.
func Run(ctx context.Context, r *input.Reader, d *Dir, o batch.PipelineOptions) error {
	o.Sink, o.Acknowledge = d, d.Acknowledge
	p, err := batch.NewPipeline(context.WithoutCancel(ctx), o)
	if err != nil {
		return err
	}
	var wait sync.WaitGroup
	done := make(chan struct{})
	wait.Go(func() {
		tick := time.NewTicker(min(time.Second, max(d.o.MaxAge/4, time.Millisecond)))
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				_ = d.Expire() // Failed is told, and the next one tries again
			case <-done:
				return
			}
		}
	})
	err = r.Run(ctx, p, patience)
	close(done)
	wait.Wait()
	return errors.Join(err, d.Close())
}
