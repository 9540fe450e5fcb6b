import { html } from '../rendering/html.js';
import {
  errorSummary,
  fieldProblems,
  form,
  formAddress,
  submitButton,
  textField,
  type FormView,
} from './form-parts.js';
import { renderPage, type Page } from './layout.js';
import type { DeviceProblem } from './problems.js';

export interface DevicePage extends Page {
  readonly form: FormView;
  /** From the device's link or QR code, or what was typed before an error. */
  readonly code?: string | undefined;
  readonly problem?: DeviceProblem | undefined;
}

const FIELD_OF: Readonly<Record<DeviceProblem, string>> = {
  'code-missing': 'user_code',
  'code-not-valid': 'user_code',
  'too-many-attempts': 'user_code',
  'form-outdated': 'user_code',
};

/**
 * Asks for the code that a device shows (RFC 8628 §3.3). One that a link has brought is filled in and waits for the button, so
 * that whoever follows a link has seen what it is for.
 */
export function renderDevicePage(page: DevicePage): string {
  const { device: texts, form: formTexts } = page.texts;
  const problems = fieldProblems(page.problem === undefined ? [] : [page.problem], FIELD_OF, {
    ...formTexts.problems,
    ...texts.problems,
  });
  const code = textField(
    {
      id: 'user_code',
      label: texts.code,
      type: 'text',
      autocomplete: 'off',
      hint: texts.hint,
      value: page.code?.slice(0, 40),
      autofocus: problems.length === 0,
      isCode: true,
    },
    problems,
    page.texts,
  );
  return renderPage(page, {
    heading: texts.title,
    lead: texts.lead,
    hasProblem: problems.length > 0,
    address: formAddress(page.form, { user_code: page.code }),
    body: [
      errorSummary(texts.failed, problems),
      form(page.form, html`${code} ${submitButton('device-submit', texts.submit, texts.busy)}`),
    ],
  });
}

/** The outcome. The device learns it by polling. */
export function renderDeviceDecidedPage(page: Page, decision: 'done' | 'refused'): string {
  const { done, refused } = page.texts.device;
  const texts = decision === 'done' ? done : refused;
  return renderPage(page, {
    ...(decision === 'done' && { sign: 'done' as const }),
    heading: texts.title,
    body: [html`<p>${texts.body}</p>`],
  });
}
