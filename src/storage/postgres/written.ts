import type { ObjectType } from 'typeorm';
import { columnOf } from './table.js';

/** Columns, parameters and values of an INSERT or UPDATE by hand, from the properties of an entity. */
export interface Written<Property extends string> {
  /** `org_id, user_id` */
  readonly columns: string;
  /** `$3, $4` */
  readonly parameters: string;
  /** `org_id = $3, user_id = $4` */
  readonly assignments: string;
  /** Number of the first parameter after them. */
  readonly next: number;
  /** `$4`, for a condition or an expression over what is written. */
  parameterOf(property: Property): string;
  /** In the order of the parameters; what is missing is null. */
  valuesOf(row: { readonly [Name in Property]?: unknown }): unknown[];
}

/**
 * For statements with many values: columns, parameters and values come from one list, so that parameters need not be renumbered for a new
 * column.
 *
 * @param first number of the first parameter
 */
export function written<Entity extends object, const Property extends keyof Entity & string>(
  entity: ObjectType<Entity>,
  properties: readonly Property[],
  first = 1,
): Written<Property> {
  const columns = properties.map((property) => columnOf(entity, property));
  const parameters = properties.map((_, index) => `$${first + index}`);
  return {
    columns: columns.join(', '),
    parameters: parameters.join(', '),
    assignments: columns.map((column, index) => `${column} = ${parameters[index] ?? ''}`).join(', '),
    next: first + properties.length,
    parameterOf: (property) => parameters[properties.indexOf(property)] ?? '',
    valuesOf: (row) => properties.map((property) => row[property] ?? null),
  };
}

/** Numbered parameters for values that are not columns of one entity, in the order of their names here. */
export function parameters<const Name extends string>(names: readonly Name[]) {
  const numbered = Object.fromEntries(names.map((name, index) => [name, `$${index + 1}`]));
  return {
    /** `$3`, by name. */
    $: numbered as Readonly<Record<Name, string>>,
    /** Number of the first parameter after them. */
    next: names.length + 1,
    valuesOf: (values: Readonly<Record<Name, unknown>>): unknown[] => names.map((name) => values[name]),
  };
}
