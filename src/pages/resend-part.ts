import { attributes, html, type Html } from '../rendering/html.js';
import { form, type FormView } from './form-parts.js';
import type { Texts } from './texts.js';

/** Another code by the same way. The server refuses what comes too early; the page only says when to try. */
export interface Resend {
  readonly form: FormView;
  /** 0 or less: at once. */
  readonly availableInSeconds: number;
  /** A new code was just sent at the reader's wish; says so. */
  readonly wasSent?: boolean | undefined;
  /** What may be the matter, where it did not go by mail. */
  readonly notArrived?: string | undefined;
}

/** "A new code is on its way": above the form, spoken when the page opens. */
export function sentAgainNotice(resend: Resend | undefined, { code: texts }: Texts): Html | undefined {
  if (resend?.wasSent !== true) return undefined;
  return html`<p class="notice" role="status">${texts.sentAgain}</p>`;
}

/**
 * The quiet button below the main one. Without scripts it can always be pressed and the time stands still; scripts
 * count it down and hold the button back until then.
 */
export function resendForm(resend: Resend | undefined, { code: texts }: Texts): Html | undefined {
  if (resend === undefined) return undefined;
  const seconds = secondsUntil(resend);
  const button = {
    class: 'button quiet',
    type: 'submit',
    id: 'resend-submit',
    'data-busy': texts.sendAgainBusy,
  };
  return html`<div class="resend">
    <p class="hint">${resend.notArrived ?? texts.notArrived}</p>
    ${form(resend.form, html`<button${attributes(button)}>${texts.sendAgain}</button>`)}
    ${waitFor(seconds, 'resend-submit', texts)}
  </div>`;
}

/**
 * The main button, where no code is under way. It is held back while none can be had: nobody is offered what would be refused. Scripts
 * count the time down and let go of it; without them the page is loaded again.
 */
export function sendCodeForm(resend: Resend, { account, code: texts }: Texts): Html {
  const seconds = secondsUntil(resend);
  const button = {
    class: 'button',
    type: 'submit',
    id: 'send-code',
    'data-busy': texts.sendAgainBusy,
    disabled: seconds > 0 ? '' : undefined,
  };
  return html`<div class="send">
    ${form(resend.form, html`<button${attributes(button)}>${account.sendCode}</button>`)}
    ${waitFor(seconds, 'send-code', texts)}
  </div>`;
}

function secondsUntil({ availableInSeconds }: Resend): number {
  return Math.max(0, Math.ceil(availableInSeconds));
}

/** @param button which scripts enable when the time has come */
function waitFor(seconds: number, button: string, { sendAgainIn }: Texts['code']): Html | undefined {
  if (seconds === 0) return undefined;
  const time = attributes({ 'data-seconds': seconds, 'data-enables': button });
  return html`<p class="hint">
    ${sendAgainIn.html({ time: html`<span class="time" ${time}>${minutes(seconds)}</span>` })}
  </p>`;
}

/** 75 as `1:15`, as the script writes it. */
function minutes(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
