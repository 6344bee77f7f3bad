package httpsink

import (
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// StatusError is an answer that is not 2xx.
type StatusError struct {
	Status     int
	RetryAfter time.Duration // that the receiver wants; 0: it does not say
	Text       string        // the beginning of the answer
}

// Error tells the status and the text in one line.
func (e *StatusError) Error() string {
	return fmt.Sprintf("status %d %s: %q", e.Status, http.StatusText(e.Status), e.Text)
}

// temporary reports whether another try may find another answer.
func (e *StatusError) temporary() bool {
	switch e.Status {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		return true
	}
	return e.Status >= 500
}

// retryAfter reads the header of that name: seconds, or a date. It is 0 where there is
// none, or none that makes sense, and limit at most.
func retryAfter(value string, now time.Time, limit time.Duration) time.Duration {
	if n, err := strconv.ParseInt(value, 10, 64); err == nil {
		if n > int64(limit/time.Second) {
			return limit
		}
		return time.Duration(max(n, 0)) * time.Second
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	return min(max(at.Sub(now), 0), limit)
}
