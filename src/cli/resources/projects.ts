import { Command } from '@commander-js/extra-typings';
import { examples } from '../shell/help.js';
import type { Terminal } from '../shell/terminal.js';
import { CollectionCommands } from './collection.js';

interface Project {
  readonly id: string;
  readonly state: string;
  readonly name: string;
  readonly resourceUri?: string;
  readonly openResource?: boolean;
}

/** `identity projects`: what applications share, and the resource that their tokens can be asked for. */
export function projectsGroup(terminal: Terminal) {
  const of = new CollectionCommands(terminal, {
    group: 'projects',
    noun: 'project',
    one: 'a project',
    nouns: 'projects',
    place: new Command(),
    path: () => '/management/v1/projects',
    placeExample: '',
    field: 'project',
    shownBeside: ['id', 'state'],
    hasSecrets: false,
    lineOf: ({ id, state, name, resourceUri = '', openResource = false }: Project) =>
      [id, state, name, resourceUri, openResource ? 'open to applications that registered themselves' : '']
        .filter((part) => part !== '')
        .join('  '),
  });
  return new Command('projects')
    .summary('Show and change the projects of an organization')
    .description(
      'Works in the organization that --org names, or else in that of the token. docs/resource-indicators.md describes resourceUri and openResource.',
    )
    .addCommand(of.list())
    .addCommand(of.get())
    .addCommand(of.create())
    .addCommand(of.update('A check that it leaves out is switched off.'))
    .addHelpText('after', examples('identity projects list', 'identity projects create --file project.json'));
}
