import type { ServerResponse } from 'node:http';

/** A reader that takes nothing for so long has gone, whatever its connection says. */
const LONGEST_PAUSE_MS = 60_000;

/** Server-sent events (HTML standard §9.2): every one is whole before the next, however slowly they are taken. */
export class EventStream {
  private id = 0;
  private isStuck = false;

  constructor(
    private readonly response: Pick<
      ServerResponse,
      'write' | 'end' | 'destroy' | 'destroyed' | 'once' | 'off'
    >,
    private readonly longestPauseMs = LONGEST_PAUSE_MS,
  ) {}

  /** @throws Error once the reader has gone, or takes nothing for too long */
  async send(event: 'progress' | 'state' | 'done' | 'pace', data: object): Promise<void> {
    this.id += 1;
    await this.write(`event: ${event}\nid: ${this.id}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  /** @throws as `send` */
  async beat(): Promise<void> {
    await this.write(': still here\n\n');
  }

  /** What a stuck reader has not taken is not kept for it. */
  end(): void {
    if (this.isStuck) this.response.destroy();
    else this.response.end();
  }

  private async write(text: string): Promise<void> {
    const { response } = this;
    if (response.destroyed) throw new Error('the reader is gone');
    if (response.write(text)) return;
    await new Promise<void>((resolve, reject) => {
      const settle = (error?: Error): void => {
        clearTimeout(pause);
        response.off('drain', drained);
        response.off('close', closed);
        if (error === undefined) resolve();
        else reject(error);
      };
      const drained = (): void => settle();
      const closed = (): void => settle(new Error('the reader is gone'));
      const pause = setTimeout(() => {
        this.isStuck = true;
        settle(new Error('the reader takes nothing'));
      }, this.longestPauseMs);
      response.once('drain', drained);
      response.once('close', closed);
    });
  }
}
