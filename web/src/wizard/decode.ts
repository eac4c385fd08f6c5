// Makes text from the bytes of a file, and tells which encoding it has. Files that hold no text are
// named by their kind, so that the page can say how to save them as text.

/** Encodings that are recognised; Latin-1 is the part of Windows-1252 without the bytes 80 to 9F. */
export type Encoding = 'UTF-8' | 'UTF-16' | 'Latin-1' | 'Windows-1252'
/** Kinds of files that hold no text. */
export type BinaryKind = 'excel' | 'zip' | 'parquet' | 'pdf' | 'sqlite' | 'gzip' | 'other'

export type DecodedFile = { text: string; encoding: Encoding } | { binary: BinaryKind }

/** The first bytes of files that hold no text. */
const kSignatures: [kind: BinaryKind, bytes: number[]][] = [
  ['excel', [0xd0, 0xcf, 0x11, 0xe0]],
  ['zip', [0x50, 0x4b, 0x03, 0x04]],
  ['parquet', [0x50, 0x41, 0x52, 0x31]],
  ['pdf', [0x25, 0x50, 0x44, 0x46, 0x2d]],
  ['sqlite', [0x53, 0x51, 0x4c, 0x69, 0x74, 0x65, 0x20, 0x66]],
  ['gzip', [0x1f, 0x8b]],
]
/** Bytes to look at for what tells text from other content. */
const kHead = 64 * 1024

const startsWith = (bytes: Uint8Array, signature: number[]) => signature.every((byte, n) => bytes[n] === byte)

/** Workbooks and documents are zip archives; their first entries name the kind. */
function archiveKind(bytes: Uint8Array): BinaryKind {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, kHead))
  return /xl\/|\[Content_Types\]\.xml|opendocument\.spreadsheet/.test(head) ? 'excel' : 'zip'
}

export function decodeFile(bytes: Uint8Array): DecodedFile {
  const found = kSignatures.find(([, signature]) => startsWith(bytes, signature))?.[0]
  if (found) return { binary: found === 'zip' ? archiveKind(bytes) : found }
  if (startsWith(bytes, [0xff, 0xfe])) return { text: new TextDecoder('utf-16le').decode(bytes), encoding: 'UTF-16' }
  if (startsWith(bytes, [0xfe, 0xff])) return { text: new TextDecoder('utf-16be').decode(bytes), encoding: 'UTF-16' }
  if (bytes.subarray(0, kHead).includes(0)) return { binary: 'other' }
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), encoding: 'UTF-8' }
  } catch {
    // Latin-1 has control characters where Windows-1252 has quotes, dashes and the euro sign.
    const hasSigns = bytes.some((byte) => byte >= 0x80 && byte < 0xa0)
    return { text: new TextDecoder('windows-1252').decode(bytes), encoding: hasSigns ? 'Windows-1252' : 'Latin-1' }
  }
}
