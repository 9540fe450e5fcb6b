import {
  darkColours,
  fonts,
  lightColours,
  radii,
  spaceStep,
  type ColourScheme,
} from '../../rendering/design-tokens.js';

/**
 * The one stylesheet of every page the service shows, the local mailbox included. Its address holds a hash of
 * its content, so browsers may keep it for ever. It works at 320 px and at 200 % zoom, in either direction of
 * writing (logical properties only), in forced colours, and moves nothing for people who asked for less motion.
 * The console shows pages in it, so nothing here needs Node.
 */

/** The custom properties of a scheme; layout.ts sends the same ones again for an organization's own accent. */
export function colourProperties(colours: Partial<ColourScheme>): string {
  return Object.entries(colours)
    .map(([name, value]) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}:${value};`)
    .join('');
}

const steps = [1, 2, 3, 4, 5, 6, 8, 10, 12].map((n) => `--s${n}:${n * spaceStep}px;`).join('');

export const styleRules = `
:root {
  color-scheme: light dark;
  ${colourProperties(lightColours)}
  ${steps}
  --radius-field: ${radii.field};
  --radius-card: ${radii.card};
  --shadow: 0 1px 2px rgb(16 20 30 / 6%), 0 8px 24px rgb(16 20 30 / 7%);
  --font: ${fonts.text};
  --font-code: ${fonts.code};
}
@media (prefers-color-scheme: dark) {
  :root { ${colourProperties(darkColours)} --shadow: 0 1px 2px rgb(0 0 0 / 40%), 0 8px 24px rgb(0 0 0 / 35%); }
}

*, ::before, ::after { box-sizing: border-box; }
[hidden] { display: none !important; }
html { font: 100%/1.5 var(--font); -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0; background: var(--canvas); color: var(--text); overflow-wrap: anywhere; }
h1, h2, p, ul, ol, dl, dd { margin: 0; padding: 0; }
h1 { font-size: 1.5rem; line-height: 1.3; font-weight: 650; letter-spacing: -0.012em; text-wrap: balance; }
h2 { font-size: 1rem; line-height: 1.5; font-weight: 600; }
a { color: var(--accent-text); text-underline-offset: 3px; text-decoration-thickness: 1px; }
a:hover { text-decoration-thickness: 2px; }
code, .mono { font-family: var(--font-code); font-size: 0.9375em; }
:focus-visible { outline: 3px solid var(--accent-text); outline-offset: 2px; }

.page { display: flex; flex-direction: column; align-items: center; gap: var(--s6); min-height: 100vh; min-height: 100dvh; padding: clamp(var(--s6), 11vh, 120px) var(--s4) var(--s8); }
.card { width: 100%; max-width: 400px; padding: var(--s8); background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius-card); box-shadow: var(--shadow); }
.card > * + * { margin-block-start: var(--s5); }
.card > h1 + .lead { margin-block-start: var(--s1); }
.card > .brand + * { margin-block-start: var(--s6); }
.card > .sign + h1 { margin-block-start: var(--s4); }

.brand { display: flex; align-items: center; gap: var(--s3); min-height: 40px; font-weight: 600; line-height: 1.3; }
.brand img { display: block; height: 40px; max-width: 220px; object-fit: contain; object-position: 0 50%; }
.mark { flex: none; display: grid; place-items: center; width: 40px; height: 40px; border-radius: var(--radius-field); background: var(--accent); color: var(--on-accent); font-size: 1.125rem; font-weight: 650; box-shadow: inset 0 0 0 1px rgb(0 0 0 / 8%); }
.lead { color: var(--muted); max-width: 65ch; }
.lead strong { color: var(--text); font-weight: 600; }
.prose > * + * { margin-block-start: var(--s3); }
.prose { max-width: 65ch; }

.who { display: flex; align-items: center; gap: var(--s3); padding: var(--s3); background: var(--sunken); border: 1px solid var(--line); border-radius: var(--radius-field); line-height: 1.35; }
.initials { flex: none; display: grid; place-items: center; width: 40px; height: 40px; border-radius: 50%; border: 1px solid var(--line); background: var(--surface); color: var(--text); font-size: 0.875rem; font-weight: 600; }
.who div { min-width: 0; }
.who strong { display: block; font-weight: 600; }
.who span { color: var(--muted); font-size: 0.875rem; }
img.initials { object-fit: cover; }

.accounts { list-style: none; border: 1px solid var(--line); border-radius: var(--radius-field); overflow: clip; }
.accounts li { display: flex; }
.accounts li + li { border-block-start: 1px solid var(--line); }
.account { flex: 1; display: flex; align-items: center; gap: var(--s3); min-width: 0; min-height: 64px; padding: var(--s3); padding-inline-end: var(--s1); font: inherit; line-height: 1.35; text-align: start; color: inherit; background: none; border: 0; cursor: pointer; }
.account:hover, .remove:hover { background: var(--sunken); }
.account:focus-visible, .remove:focus-visible { outline-offset: -3px; border-radius: var(--radius-field); }
.account .initials { background: var(--sunken); }
.account .names { min-width: 0; }
.account .names strong { display: block; font-weight: 600; }
.account .names strong + span, .account .names > span:first-child { color: var(--muted); font-size: 0.875rem; }
.state { display: block; color: var(--muted); font-size: 0.8125rem; }
.state.on { color: var(--success); font-weight: 600; }
.remove { flex: none; display: grid; place-items: center; width: 44px; padding: 0; color: var(--muted); background: none; border: 0; border-inline-start: 1px solid var(--line); cursor: pointer; }
.remove:hover { color: var(--text); }
.resend > * + *, .send > * + * { margin-block-start: var(--s2); }
.resend { padding-block-start: var(--s5); border-block-start: 1px solid var(--line); }
.time { font-variant-numeric: tabular-nums; }

form > :not(input) + * { margin-block-start: var(--s5); }
.field > * + * { margin-block-start: var(--s2); }
.field label { display: block; font-weight: 600; font-size: 0.9375rem; line-height: 1.4; }
.hint { color: var(--muted); font-size: 0.875rem; line-height: 1.45; }
.check { display: grid; grid-template-columns: auto 1fr; gap: 0; align-items: center; }
.check input { appearance: none; display: grid; place-items: center; width: 44px; height: 44px; margin: 0; margin-inline-start: -12px; border-radius: var(--radius-field); }
.check input::before { content: ""; display: grid; place-items: center; width: 20px; height: 20px; border: 2px solid var(--muted); border-radius: 4px; font: 700 14px/1 var(--font); }
.check input:checked::before { content: "✓" / ""; border-color: var(--accent); background: var(--accent); color: var(--on-accent); }
.check label { padding-block: 10px; line-height: 1.5; }
.check .hint { grid-column: 2; }
.field .hint { margin-block-start: var(--s1); }
.field-error { display: flex; gap: var(--s2); color: var(--danger); font-size: 0.875rem; font-weight: 600; line-height: 1.45; }
.field-error::before { content: "!" / ""; flex: none; display: grid; place-items: center; width: 18px; height: 18px; margin-block-start: 1px; border-radius: 50%; background: var(--danger); color: var(--surface); font-size: 0.75rem; font-weight: 700; line-height: 1; }
input.text, select.text, textarea.text { display: block; width: 100%; min-height: 48px; padding: var(--s2) var(--s3); font: inherit; color: var(--text); background: var(--surface); border: 1px solid var(--field-line); border-radius: var(--radius-field); }
input.text:hover, select.text:hover, textarea.text:hover { border-color: var(--muted); }
input.text:focus-visible, select.text:focus-visible, textarea.text:focus-visible { outline: 3px solid var(--accent-text); outline-offset: -1px; border-color: transparent; }
input.text[aria-invalid], select.text[aria-invalid], textarea.text[aria-invalid] { border: 2px solid var(--danger); padding-inline: 11px; }
textarea.text { resize: vertical; line-height: 1.45; }
fieldset.group { min-width: 0; margin: 0; padding: 0; border: 0; }
fieldset.group > legend { padding: 0; font-weight: 600; font-size: 1.125rem; line-height: 1.4; }
fieldset.group > .field { margin-block-start: var(--s4); }
fieldset.group + * { margin-block-start: var(--s6); }
input.code { font-family: var(--font-code); font-size: 1.25rem; letter-spacing: 0.2em; text-transform: uppercase; }
.secret { position: relative; }
.secret input.text { padding-inline-end: 104px; }
.reveal { position: absolute; inset-block: 2px; inset-inline-end: 2px; min-width: 72px; min-height: 44px; padding: 0 var(--s3); font: inherit; font-size: 0.875rem; font-weight: 600; color: var(--accent-text); background: none; border: 0; border-radius: 6px; cursor: pointer; }
.reveal:hover { text-decoration: underline; text-underline-offset: 3px; }
.secret:has(.reveal:not([hidden])) input::-ms-reveal { display: none; }

.button { display: flex; align-items: center; justify-content: center; width: 100%; min-height: 48px; padding: var(--s2) var(--s4); font: inherit; font-weight: 600; line-height: 1.3; text-align: center; text-wrap: balance; word-break: auto-phrase; text-decoration: none; color: var(--on-accent); background: var(--accent); border: 1px solid transparent; border-radius: var(--radius-field); box-shadow: inset 0 0 0 1px rgb(0 0 0 / 10%); cursor: pointer; }
.button:hover { background: var(--accent-hover); }
.button strong { font-weight: inherit; }
.button[aria-disabled="true"] { cursor: progress; }
.button.quiet { color: var(--text); background: var(--surface); border-color: var(--field-line); box-shadow: none; }
.button.quiet:hover { background: var(--sunken); }
.button.danger { color: var(--surface); background: var(--danger); }
.button.danger:hover { background: var(--text); }
.button:disabled { color: var(--muted); background: var(--sunken); border-color: var(--line); cursor: default; }
.passkey .hint:empty { display: none; }
.actions > * + * { margin-block-start: var(--s3); }
.ways { display: flex; flex-wrap: wrap; justify-content: space-between; column-gap: var(--s5); list-style: none; margin-block-start: var(--s3); margin-block-end: calc(-1 * var(--s3)); }
/* looks like the links above it, and is as large a target */
.cancel { margin-block-start: var(--s3); margin-block-end: calc(-1 * var(--s3)); }
.cancel button { min-height: 44px; padding: var(--s1) 0; font: inherit; color: var(--accent-text); background: none; border: 0; text-decoration: underline; text-underline-offset: 3px; cursor: pointer; }
.ways a, .foot a { display: inline-flex; align-items: center; min-height: 44px; padding-block: var(--s1); }

.summary { padding: var(--s3) var(--s4); background: var(--danger-ground); border: 1px solid transparent; border-inline-start: 4px solid var(--danger); border-radius: var(--radius-field); }
.summary:focus { outline: 2px solid var(--accent-text); outline-offset: 2px; }
.summary ul { list-style: none; }
.summary li { margin-block-start: var(--s1); }
.summary a { color: var(--danger); }
.notice { padding: var(--s4); background: var(--sunken); border: 1px solid var(--line); border-radius: var(--radius-field); }
.sign { display: grid; place-items: center; width: 48px; height: 48px; border-radius: 50%; color: var(--muted); background: var(--sunken); }
.sign.done { color: var(--success); background: var(--success-ground); }
.sign.problem { color: var(--danger); background: var(--danger-ground); }
.rules { list-style: none; margin-block-start: var(--s2); font-size: 0.875rem; line-height: 1.45; color: var(--muted); }
.rules li { position: relative; padding-inline-start: var(--s5); }
.rules li + li { margin-block-start: var(--s1); }
.rules li::before { content: ""; position: absolute; inset-inline-start: 4px; inset-block-start: 0.5em; width: 6px; height: 6px; border-radius: 50%; background: var(--field-line); }
.rules li.unmet { color: var(--danger); font-weight: 600; }
.rules li.unmet::before { background: var(--danger); }
.rules li.met { color: var(--text); }
.rules li.met::before { content: "✓"; width: auto; height: auto; inset-inline-start: 0; inset-block-start: 0; border-radius: 0; background: none; color: var(--accent-text); font-weight: 700; }
.facts { display: grid; gap: var(--s3); font-size: 0.875rem; line-height: 1.45; }
.facts dt { color: var(--muted); }
.facts dd { color: var(--text); }
.facts.paired { padding: var(--s4); border: 1px solid var(--line); border-radius: var(--radius-field); }
.facts.paired > div { display: grid; grid-template-columns: minmax(0, 2fr) minmax(0, 3fr); gap: var(--s3); }
.facts.paired strong { font-weight: 600; }
.facts.paired strong + bdi { display: block; color: var(--muted); }
.rules.plain { color: var(--text); font-size: 0.9375rem; }
.links { list-style: none; }
.links a { display: inline-flex; align-items: center; min-height: 44px; }
.client-links ul { list-style: none; margin-block-end: calc(-1 * var(--s2)); font-size: 0.875rem; line-height: 1.45; }
.client-links a { display: flex; flex-wrap: wrap; align-content: center; column-gap: var(--s2); min-height: 44px; text-decoration: none; }
.client-links span { text-decoration: underline; text-decoration-thickness: 1px; }
.client-links a:hover span { text-decoration-thickness: 2px; }
.client-links bdi { color: var(--muted); }

.foot { display: flex; flex-wrap: wrap; justify-content: center; column-gap: var(--s5); width: 100%; max-width: 400px; font-size: 0.875rem; color: var(--muted); }
.foot ul { display: flex; flex-wrap: wrap; column-gap: var(--s5); list-style: none; }
.foot a { color: inherit; }
.foot nav:has([open]) { width: 100%; text-align: center; }
.foot [open] ul { justify-content: center; }
.foot summary { display: inline-flex; align-items: center; gap: var(--s2); min-height: 44px; cursor: pointer; list-style: none; }
.foot summary::-webkit-details-marker { display: none; }
.foot summary:hover { color: var(--text); }
.foot summary::after { content: "" / ""; width: 6px; height: 6px; margin-block-start: -3px; border: solid; border-width: 0 1.5px 1.5px 0; rotate: 45deg; }
.foot [open] summary::after { margin-block-start: 3px; rotate: 225deg; }
.foot [aria-current] { display: inline-flex; align-items: center; min-height: 44px; color: var(--text); font-weight: 600; }
.whole, .lead time, label time { white-space: nowrap; }
.quietly { position: absolute; width: 1px; height: 1px; margin: -1px; padding: 0; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

.card.wide { max-width: 960px; }
.card.account-card, .card.account-card + .foot { max-width: 560px; }
.back { margin-block-end: calc(-1 * var(--s4)); font-size: 0.9375rem; }
.back a { display: inline-flex; align-items: center; gap: var(--s2); min-height: 44px; }
.back a::before { content: "" / ""; flex: none; width: 7px; height: 7px; border: solid; border-width: 0 0 2px 2px; rotate: 45deg; }
[dir="rtl"] .back a::before { rotate: -135deg; }
.section { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: var(--s2) var(--s5); padding-block: var(--s4); border-block-start: 1px solid var(--line); }
.section:last-child { border-block-end: 1px solid var(--line); }
.section > .about { flex: 1 1 50%; min-width: 0; }
.section .about p { color: var(--muted); font-size: 0.9375rem; line-height: 1.45; }
.section .about p strong { color: var(--text); font-weight: 600; }
.section .about p strong.warning { color: var(--danger); }
.section form { flex: none; }
.button.small { display: inline-flex; flex: none; width: auto; min-height: 44px; padding-block: var(--s1); }
.notice.warning { background: var(--danger-ground); border-color: transparent; border-inline-start: 4px solid var(--danger); }
.stranger { display: flex; align-items: center; gap: var(--s3); margin-block-end: var(--s3); }
.stranger img { flex: none; width: 40px; height: 40px; padding: 2px; object-fit: contain; background: #fff; border: 1px solid var(--line); border-radius: var(--radius-field); }
.facts .code { font-family: var(--font-code); font-size: 1.125rem; letter-spacing: 0.1em; }
.notice.good { color: var(--success); background: var(--success-ground); border-color: transparent; font-weight: 600; }
.qr { width: 216px; max-width: 100%; margin-inline: auto; padding: var(--s2); background: #fff; border: 1px solid var(--line); border-radius: var(--radius-field); }
.qr svg { display: block; width: 100%; height: auto; }
.by-hand summary { min-height: 44px; display: flex; align-items: center; color: var(--accent-text); cursor: pointer; text-decoration: underline; text-underline-offset: 3px; }
.key, .codes { font-family: var(--font-code); font-size: 1.0625rem; padding: var(--s4); background: var(--sunken); border: 1px solid var(--line); border-radius: var(--radius-field); user-select: all; }
.key { margin-block-start: var(--s2); overflow-wrap: anywhere; }
.codes { display: grid; grid-template-columns: repeat(auto-fit, minmax(max(11ch, 34%), 1fr)); gap: var(--s2) var(--s5); list-style: none; text-align: center; }
.choice > * + *, form > .hint { margin-block-start: var(--s2); }
@media print {
  .codes { border: 0; background: none; grid-template-columns: 1fr 1fr; }
  .card .button, .codes-kept, .back, .foot, .notice { display: none; }
}
.rows { list-style: none; }
.rows li + li { border-block-start: 1px solid var(--line); }
.rows a, .rows .row { display: block; min-height: 44px; padding: var(--s3); margin-inline: calc(-1 * var(--s3)); border-radius: var(--radius-field); color: inherit; text-decoration: none; }
.rows a:hover { background: var(--sunken); }
.tag { display: inline-block; padding: 0 var(--s2); border: 1px solid var(--line); border-radius: var(--radius-field); background: var(--sunken); font-size: 0.8125rem; font-weight: 600; }

@media (max-width: 479px) {
  body { background: var(--surface); }
  .page { padding: 0 0 var(--s6); gap: var(--s4); }
  .card { max-width: none; padding: var(--s6) var(--s4) var(--s4); border: 0; border-radius: 0; box-shadow: none; }
  .foot { padding-inline: var(--s4); justify-content: start; }
  .foot nav:has([open]) { text-align: start; }
  .foot [open] ul { justify-content: start; }
}
@media (prefers-reduced-motion: no-preference) {
  .button, input.text { transition: background-color 120ms, border-color 120ms; }
}
@media (forced-colors: active) {
  .button, .mark, .sign, .initials { border: 1px solid; }
  .rules li::before, .field-error::before { background: CanvasText; color: Canvas; forced-color-adjust: none; }
  .button[aria-disabled="true"], .button:disabled { color: GrayText; }
}
@media print {
  .page { padding: 0; }
  .card { border: 0; box-shadow: none; }
}
`;
