/** After so many failures in a row a server is not called for a while. */
const FAILURES = 5;
const REST_MS = 30_000;
const MOST_KNOWN = 10_000;

/** The server has just failed several times in a row: it is not called again yet. */
export class CircuitOpen extends Error {
  constructor() {
    super('it failed several times in a row and is not asked for a while');
    this.name = 'CircuitOpen';
  }
}

interface Circuit {
  failures: number;
  restsUntil: number;
  /** On whose behalf the failed calls were made, as far as it is known. */
  readonly askers: Set<string>;
}

/**
 * Keeps users from waiting for a server that does not answer. After some failures in a row it is not called for a while; then
 * one call probes it, and the others continue without it meanwhile. Per process: the state is not shared.
 */
export class CircuitBreaker {
  private readonly circuits = new Map<string, Circuit>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  /**
   * @param isOutage whether what was thrown is the server's fault; anything else shows that it answers
   * @param asker where one caller may bring about failures: theirs in a row count once, so that they keep nobody else from it
   * @throws CircuitOpen, or what the work throws
   */
  async run<T>(
    key: string,
    isOutage: (error: unknown) => boolean,
    work: () => Promise<T>,
    asker?: string,
  ): Promise<T> {
    const circuit = this.circuits.get(key);
    if (circuit !== undefined && circuit.failures >= FAILURES) {
      if (this.now() < circuit.restsUntil) throw new CircuitOpen();
      // this one tries; whoever comes meanwhile does not
      circuit.restsUntil = this.now() + REST_MS;
    }
    try {
      const result = await work();
      this.circuits.delete(key);
      return result;
    } catch (error) {
      // of another circuit within: this server was not asked, and if it was this one's turn to try, the next one may
      if (error instanceof CircuitOpen) {
        if (circuit !== undefined && circuit.failures >= FAILURES) circuit.restsUntil = this.now();
        throw error;
      }
      if (isOutage(error)) this.failed(key, asker);
      else this.circuits.delete(key);
      throw error;
    }
  }

  /** Whether it is left alone right now. */
  isOpen(key: string): boolean {
    const circuit = this.circuits.get(key);
    return circuit !== undefined && circuit.failures >= FAILURES && this.now() < circuit.restsUntil;
  }

  private failed(key: string, asker: string | undefined): void {
    if (this.circuits.size >= MOST_KNOWN) this.circuits.clear();
    const circuit = this.circuits.get(key) ?? { failures: 0, restsUntil: 0, askers: new Set() };
    this.circuits.set(key, circuit);
    if (asker !== undefined && circuit.askers.has(asker)) {
      // it says nothing new: if it was this one's turn to try, the next one may
      circuit.restsUntil = this.now();
      return;
    }
    if (asker !== undefined && circuit.askers.size < FAILURES) circuit.askers.add(asker);
    circuit.failures += 1;
    circuit.restsUntil = this.now() + REST_MS;
  }
}
