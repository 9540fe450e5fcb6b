import { Fragment } from 'react';

/** A part and the mark that ends it: where an address may break. */
const PIECES = /[^@.]*[@.]|[^@.]+/g;

/** A login name that breaks after `@` and dots, where there is room for a part. It stays one word to whoever hears or copies it. */
export function LoginName({ children }: { readonly children: string }) {
  const pieces = children.match(PIECES) ?? [];
  return (
    <span className="login-name" title={children}>
      {pieces.map((piece, place) => (
        // oxlint-disable-next-line react/no-array-index-key -- a piece has no other name, and they never change places
        <Fragment key={place}>
          {piece}
          <wbr />
        </Fragment>
      ))}
    </span>
  );
}
