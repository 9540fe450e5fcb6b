// SQL by hand: a condition on the number of recent codes, for two statements
import { LINE_OF_SOURCE_BYTES } from '../../../domain/users/verification/verification-code.js';
import {
  MOST_CODES_AN_HOUR,
  MOST_CODES_OF_ALL_AN_HOUR,
  MOST_CODES_OF_LINE_AN_HOUR,
} from '../../../domain/users/verification/verification-codes.store.js';

/**
 * SQL aggregate over the codes of the last hour: whether another one may be sent. Their number is limited for one source, for its
 * network ("line"), and for all sources together. Requests without a source are counted separately.
 *
 * @param source parameter with `digestOfSource`
 */
export function withinCodeLimits(source: string): string {
  const ofLine = `substr(source, 1, ${LINE_OF_SOURCE_BYTES}) = substr(${source}::bytea, 1, ${LINE_OF_SOURCE_BYTES})`;
  return `count(*) FILTER (WHERE source IS NOT DISTINCT FROM ${source}::bytea) < ${MOST_CODES_AN_HOUR}
        AND count(*) FILTER (WHERE ${ofLine}) < ${MOST_CODES_OF_LINE_AN_HOUR}
        AND (${source}::bytea IS NULL OR count(*) < ${MOST_CODES_OF_ALL_AN_HOUR})`;
}
