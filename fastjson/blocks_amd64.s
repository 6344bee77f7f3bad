//go:build !purego

#include "textflag.h"

// func escapeBlocks(dst *byte, room int, src *byte, n int, ignoreHigh uint64) (d, s int)
//
// AX d   BX s   CX mask of bytes to escape in the block   DX scratch
// DI dst R8 the last d a block may begin at   SI src   R9 the last s
// R10 ignoreHigh   R11 shortEscapes   R12 bit   R13 first byte behind the last
// escape   R14 block
TEXT ·escapeBlocks(SB), NOSPLIT, $0-56
	MOVQ dst+0(FP), DI
	MOVQ room+8(FP), R8
	MOVQ src+16(FP), SI
	MOVQ n+24(FP), R9
	MOVQ ignoreHigh+32(FP), R10
	LEAQ ·shortEscapes(SB), R11
	XORQ AX, AX
	XORQ BX, BX
	SUBQ $192, R8
	SUBQ $128, R9
	MOVL $0x20, CX
	VMOVD CX, X4
	VPBROADCASTB X4, Y4
	MOVL $0x22, CX
	VMOVD CX, X5
	VPBROADCASTB X5, Y5
	MOVL $0x5c, CX
	VMOVD CX, X6
	VPBROADCASTB X6, Y6

block:
	CMPQ BX, R9
	JGT  done
	CMPQ AX, R8
	JGT  done
	LEAQ (SI)(BX*1), R14
	VMOVDQU (R14), Y0
	VMOVDQU 32(R14), Y1
	VMOVDQU Y0, (DI)(AX*1)
	VMOVDQU Y1, 32(DI)(AX*1)

	// As signed bytes, those from 0x80 on are below 0x20 too.
	VPCMPGTB Y0, Y4, Y2
	VPCMPEQB Y0, Y5, Y3
	VPOR     Y3, Y2, Y2
	VPCMPEQB Y0, Y6, Y3
	VPOR     Y3, Y2, Y2
	VPCMPGTB Y1, Y4, Y7
	VPCMPEQB Y1, Y5, Y3
	VPOR     Y3, Y7, Y7
	VPCMPEQB Y1, Y6, Y3
	VPOR     Y3, Y7, Y7
	VPMOVMSKB Y2, CX
	VPMOVMSKB Y7, DX
	SHLQ $32, DX
	ORQ  DX, CX
	JZ   clean
	TESTQ R10, R10
	JZ   escapes
	VPMOVMSKB Y0, R12
	VPMOVMSKB Y1, DX
	SHLQ $32, DX
	ORQ  DX, R12
	ANDNQ CX, R12, CX
	TESTQ CX, CX
	JZ   clean

escapes:
	XORQ R13, R13

escape:
	TZCNTQ CX, R12
	ADDQ R12, AX
	SUBQ R13, AX
	MOVBLZX (R14)(R12*1), DX
	MOVWLZX (R11)(DX*2), DX
	TESTL DX, DX
	JZ   stop
	MOVW DX, (DI)(AX*1)
	ADDQ $2, AX
	LEAQ 1(R12), R13
	VMOVDQU (R14)(R13*1), Y2
	VMOVDQU 32(R14)(R13*1), Y3
	VMOVDQU Y2, (DI)(AX*1)
	VMOVDQU Y3, 32(DI)(AX*1)
	BLSRQ CX, CX
	JNZ  escape
	ADDQ $64, AX
	SUBQ R13, AX
	ADDQ $64, BX
	JMP  block

clean:
	ADDQ $64, AX
	ADDQ $64, BX
	JMP  block

stop:
	ADDQ R12, BX

done:
	VZEROUPPER
	MOVQ AX, d+40(FP)
	MOVQ BX, s+48(FP)
	RET
