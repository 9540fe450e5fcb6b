import type { Client } from 'ldapts';

/** Of one directory, in this process. */
const MOST_CONNECTIONS = 8;
/** One that nobody used for so long is closed; directories close them, too, after a while. */
const IDLE_MS = 60_000;

interface Waiting {
  readonly deadline: AbortSignal;
  readonly resolve: (client: Client) => void;
  readonly reject: (error: Error) => void;
}

/** All are in use, and whoever asked has waited long enough. */
export class PoolBusy extends Error {
  constructor() {
    super('all connections are in use');
    this.name = 'PoolBusy';
  }
}

/**
 * Connections to one directory that are bound as who looks people up. Each is had by one sign-in at a time, for a connection has
 * one identity: whoever tries a password on it gives it back bound as before, or not at all.
 */
export class LdapPool {
  private readonly idle: { readonly client: Client; readonly timer: NodeJS.Timeout }[] = [];
  private readonly waiting: Waiting[] = [];
  private open = 0;

  /** @param connect opens a connection and binds it */
  constructor(private readonly connect: (deadline: AbortSignal) => Promise<Client>) {}

  /** @throws PoolBusy, or what `connect` throws */
  async take(deadline: AbortSignal): Promise<Client> {
    for (let kept = this.idle.pop(); kept !== undefined; kept = this.idle.pop()) {
      clearTimeout(kept.timer);
      // the other side may have closed it
      if (kept.client.isConnected) return kept.client;
      this.open -= 1;
    }
    if (this.open >= MOST_CONNECTIONS) return await this.wait(deadline);
    return await this.openOne(deadline);
  }

  /** @param rebind binds it as before; where that fails it is closed */
  giveBack(client: Client, rebind: () => Promise<void>): void {
    rebind().then(
      () => this.keep(client),
      () => this.drop(client),
    );
  }

  drop(client: Client): void {
    client.unbind().catch(() => undefined);
    this.gone();
  }

  closeAll(): void {
    for (const { client, timer } of this.idle.splice(0)) {
      clearTimeout(timer);
      this.drop(client);
    }
  }

  private keep(client: Client): void {
    if (!client.isConnected) return this.gone();
    const next = this.waiting.shift();
    if (next !== undefined) return next.resolve(client);
    const kept = {
      client,
      timer: setTimeout(() => {
        this.idle.splice(this.idle.indexOf(kept), 1);
        this.drop(client);
      }, IDLE_MS).unref(),
    };
    this.idle.push(kept);
  }

  private async openOne(deadline: AbortSignal): Promise<Client> {
    this.open += 1;
    try {
      return await this.connect(deadline);
    } catch (error) {
      this.gone();
      throw error;
    }
  }

  /** Whoever waits for the place that is free now opens a connection of their own. */
  private gone(): void {
    this.open -= 1;
    const next = this.waiting.shift();
    if (next !== undefined) this.openOne(next.deadline).then(next.resolve, next.reject);
  }

  private async wait(deadline: AbortSignal): Promise<Client> {
    return await new Promise((resolve, reject) => {
      const waiting = { deadline, resolve, reject };
      this.waiting.push(waiting);
      deadline.addEventListener('abort', () => {
        const at = this.waiting.indexOf(waiting);
        if (at < 0) return;
        this.waiting.splice(at, 1);
        reject(new PoolBusy());
      });
    });
  }
}
