const LEAST_CHARACTERS = 64 * 1024;

/** Many small texts in pieces that are worth sending, not more than one of them in memory. */
export async function* inLargePieces(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let piece = '';
  for await (const text of texts) {
    piece += text;
    if (piece.length < LEAST_CHARACTERS) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}
