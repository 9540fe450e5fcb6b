import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { endProgram, startProgram, type RunningProgram } from './running-program.js';

const ROOT = path.join(import.meta.dirname, '../../..');
const run = promisify(execFile);

type Variables = Readonly<Record<string, string>>;

/** What an answer of the management API gives to the commands after it. */
const GIVES: Variables = { clientId: 'CLIENT_ID', appId: 'APP', keyId: 'KEY_ID' };

/**
 * A page of docs/quickstart that is followed to the letter: its files are saved, its calls are sent and its programs are run as
 * they are printed. Only the packages come from this repository's `node_modules`, in the versions that the page installs.
 */
export class Quickstart {
  /** As the page prints them, in order: commands that run a program with variables, which the test is to start. */
  private readonly printed: string[] = [];
  private readonly running: RunningProgram[] = [];

  private constructor(
    private readonly folder: string,
    private readonly variables: Record<string, string>,
    private readonly changes: (text: string) => string,
    /** What is not followed yet: sections of the page, each from its heading on. */
    private readonly sections: string[],
  ) {}

  /**
   * Follows the page as far as it is wanted, but starts none of the programs that it says to run.
   * @param variables that the page takes as given
   * @param changes to what is saved, where an address on the page stands for one's own
   * @param before the heading of the section to stop at; to the end without
   */
  static async follow(
    page: string,
    variables: Variables,
    changes: (text: string) => string = (text) => text,
    before?: string,
  ): Promise<Quickstart> {
    const folder = await mkdtemp(path.join(tmpdir(), 'identity-quickstart-'));
    await symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
    const text = await readFile(path.join(ROOT, 'docs/quickstart', page), 'utf8');
    const sections = text.split(/^(?=## )/m);
    const quickstart = new Quickstart(folder, { ...variables }, changes, sections);
    await quickstart.goOn(before);
    return quickstart;
  }

  /** From where it stopped to this heading, or to the end. */
  async goOn(before?: string): Promise<void> {
    const stop = this.sections.findIndex((section) => section.startsWith(`## ${before}\n`));
    if (before !== undefined && stop === -1) throw new Error(`the page has no section "${before}"`);
    const followed = this.sections.splice(0, before === undefined ? this.sections.length : stop);
    for (const [, language, file, code = ''] of followed
      .join('')
      .matchAll(/^```(\w+)(?: file=(\S+))?\n([\s\S]*?)^```$/gm)) {
      if (file !== undefined) await writeFile(path.join(this.folder, file), this.changes(code));
      else if (language === 'sh')
        for (const command of code.replaceAll('\\\n', ' ').trim().split('\n'))
          await this.do(this.changes(command));
    }
  }

  get commands(): readonly string[] {
    return this.printed;
  }

  /** Starts a program by the command that the page prints for it. */
  start(command: string): RunningProgram {
    if (!this.printed.includes(command)) throw new Error(`the page does not print "${command}"`);
    const words = command.split(' ');
    const program = words.indexOf('node');
    const given = words.slice(0, program).map((word): [string, string] => {
      const [name = '', value = ''] = word.split('=');
      return [name, value === '…' ? this.known(name) : value];
    });
    const running = startProgram([process.execPath, ...words.slice(program + 1)], {
      cwd: this.folder,
      env: { PATH: process.env['PATH'], HOME: this.folder, ...Object.fromEntries(given) },
    });
    this.running.push(running);
    return running;
  }

  async end(): Promise<void> {
    for (const program of this.running) await endProgram(program);
    await rm(this.folder, { recursive: true, force: true });
  }

  private async do(command: string): Promise<void> {
    if (command.startsWith('npm install ')) return await checkVersions(command.split(' ').slice(2));
    if (command.startsWith('npm init ')) return;
    if (/^(?:\w+=\S+ )+node /.test(command)) return void this.printed.push(command);
    const { stdout } = await run('bash', ['-c', command], {
      cwd: this.folder,
      env: { PATH: `${path.dirname(process.execPath)}:${process.env['PATH'] ?? ''}`, ...this.variables },
    });
    if (!command.startsWith('curl ')) return;
    const answer = JSON.parse(stdout) as Record<string, unknown>;
    if ('code' in answer) throw new Error(`"${command}" got ${stdout}`);
    this.learn(answer);
  }

  private learn(answer: Readonly<Record<string, unknown>>): void {
    for (const [member, name] of Object.entries(GIVES)) {
      const value = answer[member];
      if (typeof value === 'string') this.variables[name] = value;
    }
  }

  private known(name: string): string {
    const value = this.variables[name];
    if (value === undefined) throw new Error(`nothing before has said what ${name} is`);
    return value;
  }
}

/** What the page installs is what runs here. */
async function checkVersions(packages: readonly string[]): Promise<void> {
  for (const one of packages) {
    const at = one.lastIndexOf('@');
    const manifest = path.join(ROOT, 'node_modules', one.slice(0, at), 'package.json');
    const { version } = JSON.parse(await readFile(manifest, 'utf8')) as { version: string };
    if (version !== one.slice(at + 1)) throw new Error(`the page installs ${one}, and ${version} is tested`);
  }
}
