// SQL by hand: the database's clock decides whether the former secret still signs
import { SealBroken } from '../../../domain/secrets/envelope.js';
import type { SealedPlace, SealedValue, Sealer } from '../../../domain/secrets/sealer.js';
import type { WebhookId } from '../../../domain/shared/ids.js';

/** What a statement by hand must read of a row that signs. @param row its alias */
export function signingColumns(row: string): string {
  return `${row}.secret_sealed AS "secretSealed", ${row}.data_key_id AS "dataKeyId",
    CASE WHEN ${row}.former_secret_until > app_now() THEN ${row}.former_secret_sealed END AS "formerSealed",
    ${row}.former_data_key_id AS "formerDataKeyId"`;
}

export interface SigningRow {
  readonly secretSealed: Buffer | null;
  readonly dataKeyId: number | null;
  readonly formerSealed: Buffer | null;
  readonly formerDataKeyId: number | null;
}

export const SIGNING = {
  name: 'webhooks-signing',
  text: `SELECT ${signingColumns('w')} FROM webhooks w WHERE w.id = $1`,
};

/**
 * What becomes of the secret that another one takes the place of: it is sealed for the same row, and moves as it is.
 *
 * @param overlapSeconds for how long it signs as well
 */
export function formerSecret(overlapSeconds: number) {
  if (overlapSeconds === 0) {
    return { formerSecretSealed: null, formerDataKeyId: null, formerSecretUntil: null };
  }
  return {
    formerSecretSealed: () => 'secret_sealed',
    formerDataKeyId: () => 'data_key_id',
    formerSecretUntil: () => `app_now() + make_interval(secs => ${Math.trunc(overlapSeconds)})`,
  };
}

/** Of the newer secret and of the one before, which moves from one column to the other as it is. */
export function webhookSecretPlace(id: WebhookId): SealedPlace {
  return { purpose: 'webhook-secret', table: 'webhooks', column: 'secret_sealed', rowId: id };
}

/** The newest first; none where that cannot be opened. A former one that cannot is left out. */
export async function openSigning(
  sealer: Sealer,
  place: SealedPlace,
  row: SigningRow,
): Promise<readonly string[]> {
  const values = [
    valueOf(row.secretSealed, row.dataKeyId),
    valueOf(row.formerSealed, row.formerDataKeyId),
  ].filter((value) => value !== undefined);
  const [newest, ...former] = await Promise.all(values.map((value) => openedBy(sealer, place, value)));
  return newest === undefined ? [] : [newest, ...former.filter((secret) => secret !== undefined)];
}

async function openedBy(sealer: Sealer, place: SealedPlace, value: SealedValue): Promise<string | undefined> {
  try {
    return (await sealer.open(place, value)).toString();
  } catch (error) {
    if (error instanceof SealBroken) return undefined;
    throw error;
  }
}

function valueOf(sealed: Buffer | null, dataKeyId: number | null): SealedValue | undefined {
  return sealed === null || dataKeyId === null ? undefined : { sealed, dataKeyId };
}
