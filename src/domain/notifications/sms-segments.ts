/**
 * What a text costs: short messages are billed by segments, and one letter outside of GSM 03.38 more than halves what
 * a segment holds (3GPP TS 23.038 §6.2.1, TS 23.040 §9.2.3.24.1).
 */
export interface SmsSize {
  readonly encoding: 'GSM-7' | 'UCS-2';
  readonly segments: number;
}

const BASIC =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';
/** Each takes two places. */
const EXTENDED = '^{}\\[~]|€';

export function smsSize(text: string): SmsSize {
  let places = 0;
  for (const character of text) {
    if (!BASIC.includes(character) && !EXTENDED.includes(character)) {
      return { encoding: 'UCS-2', segments: segmentsOf(text.length, 70, 67) };
    }
    places += EXTENDED.includes(character) ? 2 : 1;
  }
  return { encoding: 'GSM-7', segments: segmentsOf(places, 160, 153) };
}

function segmentsOf(places: number, alone: number, joined: number): number {
  return places <= alone ? 1 : Math.ceil(places / joined);
}
