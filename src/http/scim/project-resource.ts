import { isObject, type Attribute, type Value, type Values } from './attributes.js';
import type { Projection } from './list-query.js';

const ALWAYS: ReadonlySet<string> = new Set(['id', 'schemas']);

/**
 * What of a resource was asked for (RFC 7644 §3.9): `attributes`, or all but `excludedAttributes`. What is always returned
 * stays either way.
 */
export function projected(
  resource: Values,
  { attributes: wanted, parts, excluded: unwanted }: Projection,
  known: readonly Attribute[],
): Values {
  if (wanted === undefined && unwanted.size === 0) return resource;
  const shown: Values = {};
  for (const [name, value] of Object.entries(resource)) {
    const path = name.toLowerCase();
    const isWhole = ALWAYS.has(path) || (wanted?.has(path) ?? !unwanted.has(path));
    if (!isWhole && !parts.has(path)) continue;
    const isComplex = known.some((one) => one.name === name && one.type === 'complex');
    const isKept = (sub: string): boolean => {
      const whole = `${path}.${sub.toLowerCase()}`;
      return wanted === undefined ? !unwanted.has(whole) : isWhole || wanted.has(whole);
    };
    shown[name] = isComplex ? cut(value, isKept) : value;
  }
  return shown;
}

function cut(value: Value | undefined, isKept: (sub: string) => boolean): Value | undefined {
  const one = (item: Values): Values =>
    Object.fromEntries(Object.entries(item).filter(([sub]) => isKept(sub)));
  if (Array.isArray(value)) return (value as readonly Values[]).map(one);
  return isObject(value) ? one(value) : value;
}
