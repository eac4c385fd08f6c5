// Saves content as a file of the person's computer.

/** Makes a file name of a title: letters and digits, with single dashes between them. */
export function fileNameOf(title: string): string {
  return title.replace(/[^\p{L}\p{N}_]+/gu, '-').replace(/^-+|-+$/g, '') || 'campaign'
}

export function saveFile(content: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}
