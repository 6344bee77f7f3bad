package httpsink

import (
	"testing"
	"time"
)

func TestRetryAfterHeader(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"":                               0,
		"0":                              0,
		"-5":                             0,
		"7":                              7 * time.Second,
		"61":                             time.Minute,
		"9223372036854775807":            time.Minute,
		"9223372036854775808":            0,
		"1.5":                            0,
		"soon":                           0,
		"Fri, 02 Jan 2026 03:04:25 GMT":  20 * time.Second,
		"Fri, 02 Jan 2026 03:04:00 GMT":  0,
		"Fri, 02 Jan 2026 03:14:00 GMT":  time.Minute,
		"Friday, 02-Jan-26 03:04:06 GMT": time.Second,
	} {
		if got := retryAfter(value, now, time.Minute); got != want {
			t.Errorf("%q: %v, want %v", value, got, want)
		}
	}
}
