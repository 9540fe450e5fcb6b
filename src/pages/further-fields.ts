import { attributes, html, type Html, type HtmlValue } from '../rendering/html.js';
import { fieldAround, tiesOf, type FieldProblem, type TextField } from './form-parts.js';
import type { Texts } from './texts.js';

// Fields of several lines and of lists, and groups of fields: of pages that ask for more than what signs somebody in.

interface TextArea extends Pick<TextField, 'id' | 'label' | 'hint' | 'value' | 'optional'> {
  readonly autocomplete: 'street-address' | 'off';
  readonly rows: number;
}

/** The same for several lines. */
export function textArea(field: TextArea, problems: readonly FieldProblem[], texts: Texts): Html {
  const problem = problems.find((candidate) => candidate.field === field.id);
  const { id, rows, autocomplete, value = '' } = field;
  const own = { class: 'text', id, name: id, rows, autocomplete, spellcheck: 'false' };
  // a line break right behind the tag is not part of the text
  const control = html`<textarea${attributes({ ...own, ...tiesOf(field, problem) })}>
${value}</textarea>`;
  return fieldAround(field, problem, texts, control);
}

export interface SelectField extends Pick<TextField, 'id' | 'label' | 'hint' | 'value' | 'optional'> {
  readonly autocomplete: 'sex' | 'off';
  /** In the order of the list, with a heading over some of them; the first is chosen unless `value` is another. */
  readonly options: readonly SelectOption[];
}

interface SelectOption {
  readonly value: string;
  readonly label: string;
  readonly group?: string | undefined;
}

/** One of a list, by the browser's own control. */
export function selectField(field: SelectField, problems: readonly FieldProblem[], texts: Texts): Html {
  const problem = problems.find((candidate) => candidate.field === field.id);
  const { id, autocomplete, value = '', options } = field;
  const groups = new Map<string | undefined, SelectOption[]>();
  for (const option of options) {
    const group = groups.get(option.group) ?? [];
    groups.set(option.group, [...group, option]);
  }
  const optionsOf = (list: readonly SelectOption[]) =>
    list.map(
      (one) =>
        html`<option${attributes({ value: one.value, selected: one.value === value })}>${one.label}</option>`,
    );
  const inside = [...groups].map(([label, list]) =>
    label === undefined
      ? optionsOf(list)
      : html`<optgroup${attributes({ label })}>${optionsOf(list)}</optgroup>`,
  );
  const own = { class: 'text', id, name: id, autocomplete };
  const control = html`<select${attributes({ ...own, ...tiesOf(field, problem) })}>${inside}</select>`;
  return fieldAround(field, problem, texts, control);
}

/** Fields that belong together, under a heading that is spoken with each of them. */
export function fieldGroup(heading: string, fields: HtmlValue): Html {
  return html`<fieldset class="group">
    <legend>${heading}</legend>
    ${fields}
  </fieldset>`;
}
