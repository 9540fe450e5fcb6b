import { iconPath } from '../../pages/design/assets.js';
import { stylesheetPath } from '../../pages/design/stylesheet.js';
import type { Page } from '../../pages/layout.js';
import { html, raw, type Html } from '../../rendering/html.js';
import type { JsonSchema } from '../shared/json-schema.js';
import type { OpenApiDocument, Operation } from './openapi-document.js';

/** What the page adds to the stylesheet of the sign-in pages: it is wide, and a list of things that open. */
const STYLES = `
.reference { max-width: 880px; margin: 0 auto; padding: var(--s8) var(--s4) var(--s12); }
.reference > * + * { margin-block-start: var(--s5); }
.reference h2 { font-size: 1.25rem; margin-block-start: var(--s10); }
.reference .intro p + p { margin-block-start: var(--s3); }
.reference details { background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius-field); }
.reference h3 + details { margin-block-start: var(--s2); }
.reference details + details { margin-block-start: var(--s2); }
.reference summary { display: flex; flex-wrap: wrap; gap: var(--s1) var(--s3); align-items: baseline; padding: var(--s3) var(--s4); cursor: pointer; }
.reference summary .what { color: var(--muted); flex-basis: 100%; }
.reference .method { font: 600 0.8125rem/1.5 var(--font-code); color: var(--accent-text); min-width: 4.5em; }
.reference .inside { padding: 0 var(--s4) var(--s4); border-block-start: 1px solid var(--line); }
.reference .inside > * { margin-block-start: var(--s4); }
.reference h3 { margin: var(--s6) 0 0; font-size: 1rem; font-weight: 600; }
.reference h4 { margin: var(--s4) 0 0; font-size: 0.9375rem; font-weight: 600; }
.reference .scroll { overflow-x: auto; margin-block-start: var(--s2); }
.reference table { width: 100%; border-collapse: collapse; font-size: 0.9375rem; }
.reference th, .reference td { padding: var(--s2) var(--s3) var(--s2) 0; text-align: start; vertical-align: top; border-block-start: 1px solid var(--line); }
.reference th { font-weight: 600; color: var(--muted); border: 0; }
`;

interface FieldRow {
  readonly path: string;
  readonly kind: string;
  readonly required: boolean;
  readonly notes: string;
}

/** The OpenAPI document for people: one page, no script. English, as the API itself. */
export function renderApiReferencePage(page: Page, document: OpenApiDocument): string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>API reference</title>
        <meta name="color-scheme" content="light dark" />
        <link rel="stylesheet" href="${stylesheetPath}" />
        <link rel="icon" href="${iconPath}" type="image/svg+xml" />
        <style nonce="${page.nonce}">
          ${raw(STYLES)}
        </style>
      </head>
      <body>
        <main class="reference">
          <h1>API reference</h1>
          <div class="intro">${paragraphs(document.info.description)}</div>
          <p>
            <a href="/openapi.json">openapi.json</a> is the same for programs: OpenAPI
            ${document.openapi.replace(/\.\d+$/, '')}.
          </p>
          ${document.tags.map(({ name, description }) =>
            part(
              name,
              description,
              operations.filter(({ operation }) => operation.tags.includes(name)),
            ),
          )}
        </main>
      </body>
    </html>`.toString();
}

interface Entry {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

/** One base path; what follows it first, as `users`, is a heading of its own. */
function part(name: string, description: string, entries: readonly Entry[]): Html | false {
  const groups = new Map<string, Entry[]>();
  for (const entry of entries) {
    const [, , , resource = ''] = entry.path.split('/');
    groups.set(resource, [...(groups.get(resource) ?? []), entry]);
  }
  return (
    entries.length > 0 &&
    html`<section>
      <h2 id="${name}">${description}</h2>
      ${[...groups].map(
        ([resource, own]) =>
          html`<h3 id="${`${name}-${resource}`}">${resource}</h3>
            ${own.map(({ path, method, operation }) => section(path, method, operation))}`,
      )}
    </section>`
  );
}

function section(path: string, method: string, operation: Operation): Html {
  const body = operation.requestBody?.content['application/json']?.schema;
  return html`<details id="${operation.operationId}">
    <summary>
      <span class="method">${method}</span><code>${path}</code><span class="what">${operation.summary}</span>
    </summary>
    <div class="inside">
      ${operation.description !== undefined && paragraphs(operation.description)}
      <p>
        ${
          operation['x-permission'] === undefined
            ? 'For every signed-in caller, on their own account.'
            : html`Permission: <code>${operation['x-permission']}</code>`
        }
      </p>
      ${fields('Query', queryRows(operation))} ${body !== undefined && fields('Body', rowsOf(body))}
      ${fields('Answer', rowsOf(answerOf(operation)))}
    </div>
  </details>`;
}

function fields(title: string, rows: readonly FieldRow[]): Html | false {
  return (
    rows.length > 0 &&
    html`<h4>${title}</h4>
      <div class="scroll" tabindex="0" role="region" aria-label="${title}">
        <table>
          <thead>
            <tr>
              <th scope="col">Field</th>
              <th scope="col">Type</th>
              <th scope="col">Rules</th>
            </tr>
          </thead>
          <tbody>
            ${rows.map(
              (row) =>
                html`<tr>
                  <td><code>${row.path}</code>${row.required && ' *'}</td>
                  <td>${row.kind}</td>
                  <td>${row.notes}</td>
                </tr>`,
            )}
          </tbody>
        </table>
      </div>`
  );
}

function answerOf(operation: Operation): JsonSchema {
  const answer = (operation.responses['200'] ?? operation.responses['202']) as {
    content: { 'application/json'?: { schema: JsonSchema } };
  };
  return answer.content['application/json']?.schema ?? {};
}

function queryRows({ parameters = [] }: Operation): readonly FieldRow[] {
  return parameters
    .filter((parameter): parameter is QueryParameter => 'in' in parameter && parameter.in === 'query')
    .map(({ name, required, schema }) => ({
      path: name,
      kind: kindOf(schema),
      required,
      notes: notesOf(schema),
    }));
}

interface QueryParameter {
  readonly in: 'query';
  readonly name: string;
  readonly required: boolean;
  readonly schema: JsonSchema;
}

/** Fields of objects within objects, as one list of paths. */
function rowsOf(schema: JsonSchema, prefix = ''): readonly FieldRow[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const path = `${prefix}${name}`;
    const row = {
      path,
      kind: kindOf(property),
      required: schema.required?.includes(name) === true,
      notes: notesOf(property),
    };
    const inner =
      property.items === undefined ? rowsOf(property, `${path}.`) : rowsOf(property.items, `${path}[].`);
    return [row, ...inner];
  });
}

function kindOf({ type, items, enum: members, const: value }: JsonSchema): string {
  if (value !== undefined) return JSON.stringify(value);
  if (members !== undefined) return 'one of';
  if (type === 'array') return `list of ${items === undefined ? 'anything' : kindOf(items)}`;
  return type === undefined ? 'any' : String(type);
}

function notesOf(schema: JsonSchema): string {
  const { description, enum: members, minLength, maxLength, minimum, maximum, maxItems, format } = schema;
  const list = members ?? schema.items?.enum;
  return [
    description,
    list?.map(String).join(', '),
    span(minLength, maxLength, 'characters'),
    span(minimum, maximum, ''),
    maxItems !== undefined && `at most ${maxItems} entries`,
    format,
    'default' in schema && `default ${JSON.stringify(schema['default'])}`,
  ]
    .filter((note) => typeof note === 'string' && note !== '')
    .join('; ');
}

function span(least: unknown, most: unknown, unit: string): string {
  // zod writes the bounds of a whole number even where there are none
  const [from, to] = [least, most].map((bound) =>
    Math.abs(Number(bound)) < 2 ** 52 ? Number(bound) : undefined,
  );
  if (to === undefined) return from === undefined ? '' : `at least ${from} ${unit}`.trim();
  return `${from === undefined ? 'at most ' : `${from} to `}${to} ${unit}`.trim();
}

/** As much of CommonMark as our own descriptions use: paragraphs and code. */
function paragraphs(text: string): readonly Html[] {
  return text.split(/\n\n+/).map((paragraph) => {
    const parts = paragraph.split('`');
    return html`<p>${parts.map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}</p>`;
  });
}
