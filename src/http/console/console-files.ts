import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { Asset } from '../../pages/design/assets.js';

/** Where the build puts it, seen from the compiled module and from its source. */
const FOLDERS = ['../../../../console/', '../../../dist/console/'].map((place) =>
  fileURLToPath(new URL(place, import.meta.url)),
);

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

const manifest = z.record(
  z.string(),
  z.object({ file: z.string(), isEntry: z.boolean().optional(), css: z.array(z.string()).optional() }),
);

/** What the page refers to, by path. */
export interface ConsoleEntry {
  readonly script: string;
  readonly styles: readonly string[];
}

/** The console as the build made it. Names of its files change with their content. */
export class ConsoleFiles {
  private readonly folder = FOLDERS.find((folder) => existsSync(manifestIn(folder)));
  private readonly builtAt = this.changedAt();
  /** Undefined where it was not built. */
  readonly entry: ConsoleEntry | undefined;
  private readonly names: ReadonlySet<string>;
  private readonly read = new Map<string, Asset>();

  constructor() {
    const chunks =
      this.folder === undefined
        ? {}
        : manifest.parse(JSON.parse(readFileSync(manifestIn(this.folder), 'utf8')));
    const all = Object.values(chunks);
    const main = all.find((chunk) => chunk.isEntry === true);
    this.entry = main && { script: urlOf(main.file), styles: (main.css ?? []).map(urlOf) };
    this.names = new Set(all.flatMap(({ file, css = [] }) => [file, ...css]));
  }

  /** Whether the build has not run since. */
  areCurrent(): boolean {
    return this.folder !== undefined && this.changedAt() === this.builtAt;
  }

  /** @param name as the manifest has it: nothing else is read from the disk */
  find(name: string): Asset | undefined {
    if (this.folder === undefined || !this.names.has(name)) return undefined;
    const known = this.read.get(name);
    if (known !== undefined) return known;
    const contentType = TYPES[path.extname(name)] ?? 'application/octet-stream';
    const asset: Asset = { contentType, body: readFileSync(path.join(this.folder, name), 'utf8') };
    this.read.set(name, asset);
    return asset;
  }

  private changedAt(): number | undefined {
    return this.folder === undefined
      ? undefined
      : statSync(manifestIn(this.folder), { throwIfNoEntry: false })?.mtimeMs;
  }
}

function manifestIn(folder: string): string {
  return path.join(folder, 'manifest.json');
}

function urlOf(file: string): string {
  return `/console/${file}`;
}
