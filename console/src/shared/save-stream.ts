/** Offers what arrives as a file. It goes to the browser's own store, not into the memory of the page; one that is cut off is an error. */
export async function saveStream(body: ReadableStream<Uint8Array>, fileName: string): Promise<void> {
  const blob = await new Response(body as ReadableStream<Uint8Array<ArrayBuffer>>).blob();
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  // the download has begun by then
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
