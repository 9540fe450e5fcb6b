/** Gives its slot back; once. */
export type Leave = () => void;

interface Waiting {
  readonly urgent: boolean;
  readonly go: (leave: Leave) => void;
}

/**
 * How many messages are on their way to one provider from this process. What nobody waits for leaves a quarter of
 * the slots free, so that a server which hangs on mass mailings cannot hold them all (security F23).
 */
export class Slots {
  capacity = 1;
  private urgent = 0;
  private patient = 0;
  private readonly waiting: Waiting[] = [];

  /** @returns undefined when none became free in time */
  async take(urgent: boolean, patienceMs: number): Promise<Leave | undefined> {
    if (this.hasCapacity(urgent)) return this.occupy(urgent);
    return await new Promise((resolve) => {
      const entry: Waiting = {
        urgent,
        go: (leave) => {
          clearTimeout(timer);
          resolve(leave);
        },
      };
      const timer = setTimeout(() => {
        this.waiting.splice(this.waiting.indexOf(entry), 1);
        resolve(undefined);
      }, patienceMs);
      this.waiting.push(entry);
    });
  }

  private hasCapacity(urgent: boolean): boolean {
    const taken = this.urgent + this.patient;
    if (urgent) return taken < this.capacity;
    const reserved = this.capacity === 1 ? 0 : Math.ceil(this.capacity / 4);
    return this.patient < this.capacity - reserved && taken < this.capacity;
  }

  private occupy(urgent: boolean): Leave {
    if (urgent) this.urgent += 1;
    else this.patient += 1;
    let left = false;
    return () => {
      if (left) return;
      left = true;
      if (urgent) this.urgent -= 1;
      else this.patient -= 1;
      this.serve();
    };
  }

  private serve(): void {
    for (const urgent of [true, false]) {
      while (this.hasCapacity(urgent)) {
        const index = this.waiting.findIndex((entry) => entry.urgent === urgent);
        const [next] = index < 0 ? [] : this.waiting.splice(index, 1);
        if (next === undefined) break;
        next.go(this.occupy(urgent));
      }
    }
  }
}
