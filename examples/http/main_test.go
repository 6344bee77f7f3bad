package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	var bodies []string
	fail := false
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		bodies = append(bodies, r.Header.Get("Idempotency-Key")+r.Header.Get("Authorization")+string(body))
		if fail {
			w.WriteHeader(http.StatusForbidden)
		}
	}))
	defer server.Close()
	dir := t.TempDir()
	args := []string{"-url", server.URL, "-from", "tidb-binlog", "-i", "../../testdata/binlogs.bin", "-array", "-batch-count", "2", "-header", "Authorization: Bearer x"}
	state := []string{"-state", filepath.Join(dir, "state")}
	for _, c := range []struct {
		code, requests int
		says           string
		args           []string
		fail           bool
	}{
		{1, 1, "403", append(state, args...), true},
		{0, 2, "delivered up to record 4\n", append(state, args...), false},
		{0, 0, "delivered up to record 4\n", append(state, args...), false},
		{0, 2, "delivered up to record 4\n", args, false},
		{0, 0, "record 3 at byte ", append(args, "-from", "packet", "-skip-bad"), false},
		{1, 0, "batch: record 0", append(args, "-from", "packet"), false},
		{2, 0, "no colon", append(args, "-header", "x"), false},
		{2, 0, "Content-Encoding", append(args, "-compress", "s2"), false},
		{2, 0, "-url is needed", nil, false},
		{1, 0, "position in ", append(args, "-state", dir), false},
	} {
		bodies, fail = nil, c.fail
		var stderr strings.Builder
		if code := run(t.Context(), c.args, nil, &stderr); code != c.code || !strings.Contains(stderr.String(), c.says) || len(bodies) != c.requests {
			t.Errorf("%q: %d, %d requests, %s", c.args, code, len(bodies), stderr.String())
		}
		for i, b := range bodies {
			if key := []string{`"cdc/0-1/0.0.0/2"`, `"cdc/2-3/0.0.0/2"`}[i]; !strings.HasPrefix(b, key+"Bearer x[{") || !strings.HasSuffix(b, "}]") {
				t.Errorf("%q: %s", c.args, b)
			}
		}
	}
}
