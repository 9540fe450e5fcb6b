import { encode } from 'uqr';

/** Light modules around it, without which some cameras find nothing (ISO/IEC 18004 §6.3.8). */
const QUIET_ZONE = 4;

/**
 * A QR code as an SVG picture, made here: its content is sent to nobody else. Black on white whatever the colours of the
 * page are, since some cameras read nothing else. Each run of dark modules in a row is one stroke, which is what makes it small.
 */
export function qrCode(text: string): string {
  const { data: rows, size } = encode(text, { ecc: 'L', border: QUIET_ZONE });
  const strokes = rows.flatMap((row, y) => darkRuns(row).map(([x, length]) => `M${x} ${y}h${length}`));
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 -.5 ${size} ${size}" shape-rendering="crispEdges">` +
    `<path fill="#fff" d="M0-.5h${size}v${size}H0z"/><path stroke="#000" d="${strokes.join('')}"/></svg>`
  );
}

/** The same as an address that `<img src>` takes. */
export function qrCodeAddress(text: string): string {
  return `data:image/svg+xml;base64,${Buffer.from(qrCode(text)).toString('base64')}`;
}

/** Where dark modules begin in a row, and how many follow each other. */
function darkRuns(row: readonly boolean[]): [start: number, length: number][] {
  const runs: [number, number][] = [];
  row.forEach((dark, x) => {
    const last = runs.at(-1);
    if (!dark) return;
    if (last !== undefined && last[0] + last[1] === x) last[1]++;
    else runs.push([x, 1]);
  });
  return runs;
}
