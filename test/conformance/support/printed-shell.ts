import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';

const MARK = '\u0001end\u0001';

/** What a step printed, without the addresses that it showed to sign in at. */
export interface Outcome {
  readonly output: string;
  readonly succeeded: boolean;
  readonly complaints: string;
}

/**
 * One shell in which somebody follows a page. Where it shows an address to sign in at, `signIn` does so, and the
 * address that the browser ended at is typed in.
 */
export class PrintedShell {
  private printed = '';
  private complaints = '';
  private folder: string;
  private readonly ended: Promise<void>;
  private onOutput: () => void = () => undefined;
  private onFailure: (error: unknown) => void = () => undefined;

  private constructor(
    private readonly child: ChildProcessWithoutNullStreams,
    private readonly issuer: string,
    private readonly signIn: (url: URL) => Promise<URL>,
    private readonly home: string,
  ) {
    this.folder = home;
    this.ended = new Promise((resolve) => child.once('close', () => resolve()));
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.printed += text;
      this.onOutput();
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.complaints += text;
    });
    child.once('close', () => this.onFailure(new Error(`the shell ended:\n${this.complaints}`)));
  }

  /** @param home where the reader starts: the folder of the repository, as `npm start` left it */
  static open(home: string, issuer: string, signIn: (url: URL) => Promise<URL>): PrintedShell {
    const child = spawn('bash', ['--noprofile', '--norc'], {
      cwd: home,
      env: { PATH: `${path.dirname(process.execPath)}:${process.env['PATH'] ?? ''}`, HOME: home },
    });
    return new PrintedShell(child, issuer, signIn, home);
  }

  /** Saves a file in the folder where the shell is. */
  async save(file: string, text: string): Promise<void> {
    await writeFile(path.join(this.folder, file), text);
  }

  /** Runs lines in the shell. They succeed when each command of theirs does. */
  async run(lines: string): Promise<Outcome> {
    const script = path.join(this.home, 'printed.sh');
    await writeFile(script, lines);
    this.printed = '';
    this.complaints = '';
    // From a file, so that the shell's own input stays free for what the lines read from it.
    this.child.stdin.write(
      `FAILED=0; set -E -o pipefail; trap 'FAILED=1' ERR; . '${script}'; trap - ERR; ` +
        `printf '${MARK}%s %s\\n' "$FAILED" "$PWD"\n`,
    );
    const [before = '', failed, folder] = await this.untilEnd();
    this.folder = folder ?? this.folder;
    const output = before
      .split('\n')
      .filter((line) => !this.isSignIn(line))
      .join('\n');
    return { output: output.trim(), succeeded: failed === '0', complaints: this.complaints };
  }

  async close(): Promise<void> {
    this.child.stdin.end();
    this.child.kill('SIGTERM');
    await this.ended;
  }

  private isSignIn(line: string): boolean {
    return line.startsWith(`${this.issuer}/oauth/v2/authorize?`);
  }

  private async untilEnd(): Promise<readonly string[]> {
    let shown = 0;
    return await new Promise((resolve, reject) => {
      this.onFailure = reject;
      this.onOutput = () => {
        const end = new RegExp(`^([\\s\\S]*)${MARK}(\\d) (.*)\\n`).exec(this.printed);
        if (end !== null) return resolve(end.slice(1));
        const addresses = this.printed
          .split('\n')
          .slice(0, -1)
          .filter((line) => this.isSignIn(line));
        for (const address of addresses.slice(shown)) this.signInAt(address).catch(reject);
        shown = addresses.length;
      };
    });
  }

  private async signInAt(address: string): Promise<void> {
    const { href } = await this.signIn(new URL(address));
    this.child.stdin.write(`${href}\n`);
  }
}
