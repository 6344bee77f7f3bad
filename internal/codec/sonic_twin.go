//go:build !(amd64 || arm64) || purego

package codec

// SonicIsNative says whether sonic is native code in this program. It is not in
// it at all.
const SonicIsNative = false

var sonicPeers, sonicReaders []recipe
