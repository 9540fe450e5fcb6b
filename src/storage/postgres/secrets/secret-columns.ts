import type { SealedPlace, Sealer } from '../../../domain/secrets/sealer.js';

/** The columns of a row's sealed secret. */
interface SecretColumns {
  readonly secretSealed: Buffer | null;
  readonly dataKeyId: number | null;
}

/** @param place for which row it is sealed */
export function sealSecret(sealer: Sealer, place: SealedPlace, secret: string) {
  const { sealed: secretSealed, dataKeyId } = sealer.seal(place, Buffer.from(secret));
  return { secretSealed, dataKeyId };
}

/** The columns to write for a change of a secret; none to keep it. */
export function changedSecret(
  sealer: Sealer,
  place: SealedPlace,
  change: { readonly set: string } | 'none' | 'keep',
): Partial<SecretColumns> {
  if (change === 'keep') return {};
  if (change === 'none') return { secretSealed: null, dataKeyId: null };
  return sealSecret(sealer, place, change.set);
}

/** Undefined if there is no row, or no secret in it. */
export async function openSecret(
  sealer: Sealer,
  place: SealedPlace,
  row: SecretColumns | undefined,
): Promise<string | undefined> {
  if (row === undefined || row.secretSealed === null || row.dataKeyId === null) return undefined;
  const value = { sealed: row.secretSealed, dataKeyId: row.dataKeyId };
  return (await sealer.open(place, value)).toString();
}
