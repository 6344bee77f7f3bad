//go:build !purego

#include "textflag.h"

// func escapeBlocks(dst *byte, room int, src *byte, n, avail int, ignoreHigh uint64) (d, s int)
//
// AX d    BX s    CX mask of the bytes to escape in the block    DX scratch
// DI dst  R8 room SI src R9 n   R10 ignoreHigh   R11 shortEscapes
// R12 number of a byte in the block    R13 the byte behind the last escape
// R14 the block    R15 its length, in the loop over blocks of up to 32
// Y4 Y5 Y6 space, quote, backslash in each byte
TEXT ·escapeBlocks(SB), NOSPLIT, $0-64
	MOVQ dst+0(FP), DI
	MOVQ room+8(FP), R8
	MOVQ src+16(FP), SI
	MOVQ n+24(FP), R9
	MOVQ ignoreHigh+40(FP), R10
	LEAQ ·shortEscapes(SB), R11
	XORQ AX, AX
	XORQ BX, BX
	MOVL $0x20, CX
	VMOVD CX, X4
	VPBROADCASTB X4, Y4
	MOVL $0x22, CX
	VMOVD CX, X5
	VPBROADCASTB X5, Y5
	MOVL $0x5c, CX
	VMOVD CX, X6
	VPBROADCASTB X6, Y6

// Blocks of 64. They write up to 192 bytes from d on, and read 128 from s on.
block:
	LEAQ 64(BX), DX
	CMPQ DX, R9
	JGT  small
	ADDQ $64, DX
	CMPQ DX, avail+32(FP)
	JGT  small
	LEAQ 192(AX), DX
	CMPQ DX, R8
	JGT  small
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

// Blocks of up to 32. They write up to 96 bytes from d on, and read 64 from s on.
small:
	MOVQ R9, R15
	SUBQ BX, R15
	JLE  done
	LEAQ 64(BX), DX
	CMPQ DX, avail+32(FP)
	JGT  done
	LEAQ 96(AX), DX
	CMPQ DX, R8
	JGT  done
	LEAQ (SI)(BX*1), R14
	VMOVDQU (R14), Y0
	VMOVDQU Y0, (DI)(AX*1)
	VPCMPGTB Y0, Y4, Y2
	VPCMPEQB Y0, Y5, Y3
	VPOR     Y3, Y2, Y2
	VPCMPEQB Y0, Y6, Y3
	VPOR     Y3, Y2, Y2
	VPMOVMSKB Y2, CX
	CMPQ R15, $32
	JGE  whole
	BZHIL R15, CX, CX
	JMP  cut

whole:
	MOVQ $32, R15

cut:
	TESTL CX, CX
	JZ   smallclean
	TESTQ R10, R10
	JZ   smallescapes
	VPMOVMSKB Y0, DX
	ANDNL CX, DX, CX
	TESTL CX, CX
	JZ   smallclean

smallescapes:
	XORQ R13, R13

smallescape:
	TZCNTL CX, R12
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
	VMOVDQU Y2, (DI)(AX*1)
	BLSRL CX, CX
	JNZ  smallescape
	SUBQ R13, AX

smallclean:
	ADDQ R15, AX
	ADDQ R15, BX
	JMP  small

stop:
	ADDQ R12, BX

done:
	VZEROUPPER
	MOVQ AX, d+48(FP)
	MOVQ BX, s+56(FP)
	RET
