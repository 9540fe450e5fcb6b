import type { Provider } from '../domain/notifications/providers/provider.js';

interface Kept<T> {
  readonly version: string;
  readonly made: Promise<T>;
  readonly idle: NodeJS.Timeout;
}

/** A provider that nothing was sent through for so long lets go of what was made for it. */
const IDLE_MS = 60_000;

/**
 * Created once for a provider's settings: a pool, a client. When they change, a new one is created and the
 * former one is closed; running calls through it are completed.
 */
export class PerProvider<P extends Provider, T> {
  private readonly kept = new Map<string, Kept<T>>();

  constructor(
    private readonly make: (provider: P) => Promise<T>,
    private readonly close: (made: T) => void = () => undefined,
  ) {}

  async of(provider: P): Promise<T> {
    const { id, version } = provider;
    const known = this.kept.get(id);
    if (known?.version === version) {
      known.idle.refresh();
      return await known.made;
    }
    this.drop(id);
    const made = this.make(provider);
    const idle = setTimeout(() => this.drop(id), IDLE_MS).unref();
    const kept = { version, made, idle };
    this.kept.set(id, kept);
    try {
      return await made;
    } catch (error) {
      if (this.kept.get(id) === kept) this.drop(id);
      throw error;
    }
  }

  closeAll(): void {
    for (const id of this.kept.keys()) this.drop(id);
  }

  private drop(id: string): void {
    const kept = this.kept.get(id);
    if (kept === undefined) return;
    this.kept.delete(id);
    clearTimeout(kept.idle);
    kept.made.then(this.close, () => undefined);
  }
}
