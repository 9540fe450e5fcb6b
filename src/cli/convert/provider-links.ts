import { InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { readIdentities } from '../../domain/imports/records/imported-identities.js';
import { FieldError } from '../../domain/imports/records/record-errors.js';
import { givenIdProblem } from '../../domain/shared/given-id.js';
import type { ConvertedHuman, ConvertedIdentity, Note } from './converted-human.js';
import { defined } from './values.js';

/** Which provider here stands for which one there: id by alias. */
type ProviderMapping = ReadonlyMap<string, string>;

/** Who a user is at a provider, as an export says it. */
export interface SourceLink {
  /** What the source calls the provider. */
  readonly alias: string | undefined;
  /** By which the provider knows the user; undefined where the export does not say it for certain. */
  readonly subject: string | undefined;
  readonly displayName?: string | undefined;
}

const MALFORMED = 'Must be <alias>=<id of a provider here>, such as google=283746520198471234.';
/** A damaged file must not fill the summary. */
const MOST_ALIASES = 100;

/** `--idp`, once for each provider; `alias` says what a source calls one. */
export function idpOption(alias: string) {
  return new Option(
    '--idp <alias=id>',
    `keeps links to a provider: its alias there (${alias}), and the id of the same provider here; once for each`,
  ).argParser(mappingWith);
}

function mappingWith(given: string, before: ProviderMapping | undefined): ProviderMapping {
  // ids that are made here have no equals sign
  const at = given.lastIndexOf('=');
  const alias = given.slice(0, Math.max(at, 0)).trim();
  const id = given.slice(at + 1);
  if (alias === '' || givenIdProblem(id) !== undefined) throw new InvalidArgumentError(MALFORMED);
  if (before?.has(alias) === true) throw new InvalidArgumentError('Each alias must be given once.');
  return new Map([...(before ?? []), [alias, id]]);
}

/** Makes identities of the links of an export, and remembers which providers it speaks of. */
export class ProviderLinks {
  private readonly seen = new Set<string>();

  constructor(private readonly mapping: ProviderMapping = new Map()) {}

  /** Links that cannot be imported are reported; the user must not be lost for one. */
  addTo(human: ConvertedHuman, links: readonly SourceLink[], note: Note): void {
    const identities: ConvertedIdentity[] = [];
    for (const link of links) {
      const identity = this.identityOf(link, note);
      if (identity !== undefined) addIdentity(identities, identity, note);
    }
    if (new Set(identities.map(({ configId }) => configId)).size < identities.length)
      note('several links to one provider: all are kept, and whoever has one of these accounts signs in');
    if (identities.length > 0) human.idps = identities;
  }

  /** For the end: an alias that nothing has was mistyped, most likely. */
  remarks(): readonly string[] {
    const found = [...this.seen].sort().map(printed);
    const instead = found.length === 0 ? 'it has no links to providers at all' : `it has ${found.join(', ')}`;
    return [...this.mapping.keys()]
      .filter((alias) => !this.seen.has(alias))
      .map(
        (alias) =>
          `--idp ${printed(alias)}=…: the export has no link to a provider of that name; ${instead}.`,
      );
  }

  private identityOf({ alias, subject, displayName }: SourceLink, note: Note): ConvertedIdentity | undefined {
    if (alias === undefined) {
      note('a link to a provider without a name cannot be carried over');
      return undefined;
    }
    const configId = this.mapping.get(alias);
    const isOneOfMany = this.seen.size >= MOST_ALIASES && !this.seen.has(alias);
    if (configId !== undefined || !isOneOfMany) this.seen.add(alias);
    if (configId === undefined) {
      note(
        isOneOfMany
          ? 'links to further providers are lost'
          : `the link to ${printed(alias)} is lost: --idp ${quoted(alias)}=<id of the provider here> keeps it`,
      );
      return undefined;
    }
    if (subject === undefined) {
      note(`the link to ${printed(alias)} does not say for certain who the user is there: left out`);
      return undefined;
    }
    return { configId, externalUserId: subject, ...defined({ displayName }) };
  }
}

/** By the rules of the import itself. */
function addIdentity(identities: ConvertedIdentity[], identity: ConvertedIdentity, note: Note): void {
  const isKnown = identities.some(
    ({ configId, externalUserId }) =>
      configId === identity.configId && externalUserId === identity.externalUserId,
  );
  if (isKnown) return;
  try {
    readIdentities([...identities, identity]);
    identities.push(identity);
  } catch (error) {
    if (!(error instanceof FieldError)) throw error;
    const { displayName, ...nameless } = identity;
    if (displayName !== undefined && error.path.endsWith('.displayName')) {
      addIdentity(identities, nameless, note);
      return;
    }
    note(
      error.path === 'idps'
        ? 'more links to providers than a user can have: the last ones are left out'
        : 'a link to a provider by an id that the import does not take: left out',
    );
  }
}

/** Names of providers come from the export, and go to a terminal. */
function printed(alias: string): string {
  return alias.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '\uFFFD').slice(0, 100);
}

/** As a shell takes it. */
function quoted(alias: string): string {
  const text = printed(alias);
  return /^[\w.@:-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
