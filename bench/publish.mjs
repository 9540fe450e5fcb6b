import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { said } from './table.mjs';

// `npm run bench -- --publish`: puts what was printed into docs/performance.md, in place of what stands there.

const PAGE = new URL('../docs/performance.md', import.meta.url);
const BEGIN = '<!-- bench: begin -->';
const END = '<!-- bench: end -->';

export function publish() {
  const page = readFileSync(PAGE, 'utf8');
  const [before, after] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (before === -1 || after < before) throw new Error(`docs/performance.md lacks "${BEGIN}" and "${END}"`);
  const lines = said
    .map((line) => line.trimEnd())
    .join('\n')
    .trim();
  const table = `${BEGIN}\n\nMeasured on ${today()}, commit ${commit()}.\n\n\`\`\`text\n${lines}\n\`\`\`\n\n`;
  writeFileSync(PAGE, page.slice(0, before) + table + page.slice(after));
}

function today() {
  return new Date().toISOString().slice(0, 10);
}

function commit() {
  return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
}
