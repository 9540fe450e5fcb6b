/** A part and the mark that ends it: where an address may break. */
const PIECES = /[^@.]*[@.]|[^@.]+/g;

/** A login name that breaks after `@` and dots alone. A part that is wider than its place ends in `…`, with the whole in its title. */
export function LoginName({ children }: { readonly children: string }) {
  const pieces = children.match(PIECES) ?? [];
  return (
    <span className="login-name" title={children}>
      <span>
        {pieces.map((piece, place) => (
          // oxlint-disable-next-line react/no-array-index-key -- a piece has no other name, and they never change places
          <span key={place}>{piece}</span>
        ))}
      </span>
    </span>
  );
}
