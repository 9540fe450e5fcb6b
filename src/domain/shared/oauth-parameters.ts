import { OAuthError, ParameterError } from './errors.js';

/**
 * Parameters of an OAuth request under RFC 6749 §3.1 and §3.2: unknown ones are ignored, empty ones count as
 * absent, and a repeated one is an error, also when nobody asks for it.
 */
export class OAuthParameters {
  private constructor(
    private readonly values: ReadonlyMap<string, string>,
    /** Names that occur more than once, in the order in which that was noticed. */
    private readonly repeated: ReadonlySet<string>,
    /** As they came. */
    private readonly pairs: readonly (readonly [string, string])[],
  ) {}

  static read(parameters: URLSearchParams): OAuthParameters {
    const values = new Map<string, string>();
    const repeated = new Set<string>();
    for (const [name, value] of parameters) {
      if (values.has(name)) repeated.add(name);
      else values.set(name, value);
    }
    for (const [name, value] of values) if (value === '') values.delete(name);
    return new OAuthParameters(values, repeated, [...parameters]);
  }

  get(name: string): string | undefined {
    return this.values.get(name);
  }

  /** Every value of a parameter that may be repeated. */
  all(name: string): readonly string[] {
    return this.pairs.filter(([key, value]) => key === name && value !== '').map(([, value]) => value);
  }

  /** The same without one that is read apart from the others. */
  without(name: string): OAuthParameters {
    const others = this.pairs.filter(([key]) => key !== name);
    return OAuthParameters.read(
      new URLSearchParams(others.map(([key, value]): [string, string] => [key, value])),
    );
  }

  isRepeated(name: string): boolean {
    return this.repeated.has(name);
  }

  has(name: string): boolean {
    return this.values.has(name);
  }

  /** @throws OAuthError invalid_request naming the parameter */
  require(name: string): string {
    const value = this.values.get(name);
    if (value === undefined) throw new ParameterError(name, 'missing');
    return value;
  }

  /**
   * @param save parameters that may be repeated
   * @throws OAuthError invalid_request naming the parameter (printable names only: descriptions are plain ASCII)
   */
  refuseRepeated(save: readonly string[] = []): void {
    const first = [...this.repeated].find((name) => !save.includes(name));
    if (first === undefined) return;
    if (/^[\w.-]{1,64}$/.test(first)) throw new ParameterError(first, 'repeated');
    throw new OAuthError('invalid_request', 'a parameter must not be repeated');
  }
}
