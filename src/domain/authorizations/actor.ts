/** Who acts for the subject, and whom that one acts for in turn (`act`, RFC 8693 §4.1). Stored as received. */
export interface Actor {
  readonly iss: string;
  readonly sub: string;
  readonly act?: Actor;
}

/** From the one who acts now to the first. */
export function actorsOf(actor: Actor | undefined): readonly Actor[] {
  return actor === undefined ? [] : [actor, ...actorsOf(actor.act)];
}

/** The chain of some actors, the one who acts now first. */
export function chainOf(actors: readonly Pick<Actor, 'iss' | 'sub'>[]): Actor | undefined {
  const [first, ...rest] = actors;
  if (first === undefined) return undefined;
  const act = chainOf(rest);
  return { iss: first.iss, sub: first.sub, ...(act === undefined ? {} : { act }) };
}
