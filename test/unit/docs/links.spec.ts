import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROLES } from '../../../src/domain/permissions/permissions.js';

const ROOT = path.join(import.meta.dirname, '../../..');
const pages = [
  ...readdirSync(ROOT).filter((file) => file.endsWith('.md')),
  ...readdirSync(path.join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`),
];
const read = (page: string): string =>
  readFileSync(path.join(ROOT, page), 'utf8').replaceAll(/^```[\s\S]*?^```$/gm, '');

/** The anchors that a page's headings make, as GitHub writes them. */
function anchorsOf(page: string): readonly string[] {
  return [...read(page).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

describe('roles', () => {
  it.each(pages)('that %s names exist', (page) => {
    const named = [...read(page).matchAll(/`((?:IAM|ORG|PROJECT)_[A-Z_]+)`/g)].map(([, name = '']) => name);
    // states of the API begin in the same way
    const roles = named.filter((name) => !name.includes('_STATE_'));
    expect(roles.filter((name) => !(ROLES as readonly string[]).includes(name))).toEqual([]);
  });
});

describe.each(pages)('%s', (page) => {
  const links = [...read(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);

  it('links to pages and headings that exist', () => {
    const broken = links
      .filter((link) => !/^https?:/.test(link))
      .filter((link) => {
        const [file = '', anchor] = link.split('#');
        const target = file === '' ? page : path.join(path.dirname(page), file);
        return (
          !existsSync(path.join(ROOT, target)) ||
          (anchor !== undefined && !anchorsOf(target).includes(anchor))
        );
      });
    expect(broken).toEqual([]);
  });

  it('has no two headings of one anchor', () => {
    const anchors = anchorsOf(page);
    expect(anchors).toEqual([...new Set(anchors)]);
  });
});

// a quick start names the files of its own program, the changelog what was there
describe.each(pages.filter((page) => !/quickstart|CHANGELOG/.test(page)))('%s', (page) => {
  it('names files and folders that exist', () => {
    const named = read(page).matchAll(
      /`((?:src|workers|migrations|test|scripts|bench|deploy|docs)\/[\w./-]*\w\/?)`/g,
    );
    const missing = [...named]
      .map(([, file = '']) => file)
      .filter((file) => !existsSync(path.join(ROOT, file)));
    expect(missing).toEqual([]);
  });
});
