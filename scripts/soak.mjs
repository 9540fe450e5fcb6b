// `npm run soak -- 120`: the mix of docs/security.md, F48, for so many minutes (120 where nothing is said).
const [, , minutes = '120'] = process.argv;
if (!/^[1-9]\d{0,4}$/.test(minutes)) {
  console.error('usage: npm run soak -- MINUTES');
  process.exit(64);
}
process.env.SOAK_MINUTES = minutes;
process.argv.splice(2, Infinity, 'faults', 'test/faults/soak.spec.ts');
await import('./test.mjs');
