import { Argument, Command, type OptionValues } from '@commander-js/extra-typings';
import type { ApiClient } from '../api/api-client.js';
import { searchPage } from '../api/pages.js';
import { requireYes } from '../shell/confirm.js';
import { withOptions } from '../shell/options.js';
import type { Terminal } from '../shell/terminal.js';
import { callCommand, secretCommand } from './call-command.js';
import { listCommand } from './list-command.js';
import { readReplacement, readSettings, settingsOption } from './settings-file.js';

/** Things of one kind that the API keeps: each has an id, settings in JSON, and the same calls. */
interface Collection<Place extends OptionValues, Item> {
  /** As in `identity webhooks`. */
  readonly group: string;
  readonly noun: string;
  /** The noun with its article. */
  readonly one: string;
  readonly nouns: string;
  /** Options that say where they are, such as `--instance`; each command has them. */
  readonly place: Command<[], Place>;
  readonly path: (place: Place) => string;
  /** What stands in examples behind a command. */
  readonly placeExample: string;
  /** Member of the answer to GET that holds the settings. */
  readonly field: string;
  /** Members of that one which are no settings, `details` apart. */
  readonly shownBeside: readonly string[];
  readonly hasSecrets: boolean;
  readonly lineOf: (item: Item) => string;
}

const idArgument = new Argument('<id>', 'as the list shows it');
/** Of what replaces settings as a whole. */
export const ROUND_TRIP =
  'Takes what "get" prints, edited: members that are not settings are not sent. If it contains "details", the ' +
  'service refuses the change (412) when somebody else has made one since.';
const EXAMPLE_ID = '8Jq2vZ1xT0aB4cD6eF8gHi';

/** Where a thing of an organization or of the instance is. */
export const scopeOption = new Command().option(
  '--instance',
  'those of the instance instead of those of an organization; for administrators of the instance',
);

/** The commands of a collection that need to know no more of it than that. */
export class CollectionCommands<Place extends OptionValues, Item> {
  constructor(
    private readonly terminal: Terminal,
    private readonly of: Collection<Place, Item>,
  ) {}

  list() {
    const { place, path, nouns, lineOf } = this.of;
    const command = new Command('list').description(`List ${nouns}`);
    return listCommand(this.terminal, {
      command: withOptions(command, place),
      page: async (client, page, options) => await searchPage<Item>(client, `${path(options)}/_search`, page),
      none: `There are no ${nouns}.`,
      examples: [this.example('list')],
      lineOf,
    });
  }

  get() {
    const { place, path, one, field, hasSecrets } = this.of;
    const command = new Command('get')
      .description(`Show ${one} as JSON${hasSecrets ? '; its secrets are not part of it' : ''}`)
      .addArgument(idArgument);
    return callCommand(this.terminal, {
      command: withOptions(command, place),
      call: async (client, options, id) => {
        const answer = await client.get<Record<string, unknown>>(pathOf(path(options), id));
        return answer[field];
      },
      told: (item) => JSON.stringify(item, null, 2),
      examples: [this.example(`get ${EXAMPLE_ID}`)],
    });
  }

  create<Answer extends { readonly id: string }>(more: (answer: Answer) => string = () => '') {
    return callCommand(this.terminal, this.creation<Answer>(more));
  }

  /** @param secretIn member of the answer that is shown this once */
  createWithSecret<Answer extends { readonly id: string }>(secretIn: keyof Answer & string) {
    return secretCommand(this.terminal, { ...this.creation<Answer>(() => ''), secretIn });
  }

  private creation<Answer extends { readonly id: string }>(more: (answer: Answer) => string) {
    const { place, path, noun, one } = this.of;
    const command = new Command('create').description(`Create ${one}`);
    return {
      command: withOptions(withOptions(command, settingsOption), place),
      call: async (client: ApiClient, options: { readonly file: string } & Place) =>
        await client.post<Answer>(path(options), await readSettings(options.file, this.terminal)),
      told: (answer: Answer) => `Created the ${noun} ${answer.id}.${more(answer)}`,
      examples: [this.example(`create --file ${this.fileName()}`)],
    };
  }

  /** @param more what else people must know before they replace settings */
  update(more: string) {
    const { place, path, noun, one, shownBeside } = this.of;
    const command = new Command('update')
      .summary(`Replace the settings of ${one}`)
      .description(
        `Replaces all settings of ${one}: what the file leaves out goes back to its default. ${more}`.trimEnd() +
          `\n\n${ROUND_TRIP}`,
      )
      .addArgument(idArgument);
    return callCommand(this.terminal, {
      command: withOptions(withOptions(command, settingsOption), place),
      call: async (client, options, id) => {
        const { settings, readAt } = await readReplacement(options.file, shownBeside, this.terminal);
        return await client.put(pathOf(path(options), id), settings, readAt);
      },
      told: (_answer, id) => `Changed the ${noun} ${id}.`,
      examples: [
        this.example(`get ${EXAMPLE_ID} > ${this.fileName()}`),
        this.example(`update ${EXAMPLE_ID} --file ${this.fileName()}`),
      ],
    });
  }

  /** One call about one of them, without a body. */
  change(name: string, call: string, meaning: string, done: string) {
    const { place, path, noun } = this.of;
    const command = new Command(name).description(meaning).addArgument(idArgument);
    return callCommand(this.terminal, {
      command: withOptions(command, place),
      call: async (client, options, id) => await client.post(`${pathOf(path(options), id)}/${call}`, {}),
      told: (_answer, id) => `The ${noun} ${id} ${done}.`,
      examples: [this.example(`${name} ${EXAMPLE_ID}`)],
    });
  }

  remove(consequence: string) {
    const { place, path, noun, one } = this.of;
    const command = new Command('remove')
      .summary(`Remove ${one} permanently`)
      .description(`${consequence} Requires --yes.`)
      .addArgument(idArgument)
      .option('--yes', 'confirms the removal');
    return callCommand(this.terminal, {
      command: withOptions(command, place),
      call: async (client, options, id) => {
        requireYes(options.yes, `removing ${one}`);
        return await client.delete(pathOf(path(options), id));
      },
      told: (_answer, id) => `Removed the ${noun} ${id}.`,
      examples: [this.example(`remove ${EXAMPLE_ID} --yes`)],
    });
  }

  private fileName(): string {
    return `${this.of.noun.replaceAll(' ', '-')}.json`;
  }

  private example(words: string): string {
    const { group, placeExample } = this.of;
    return ['identity', group, words, placeExample].filter((part) => part !== '').join(' ');
  }
}

export function pathOf(collection: string, id: string): string {
  return `${collection}/${encodeURIComponent(id)}`;
}
