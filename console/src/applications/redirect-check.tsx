import { Text, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import de from '../../../locales/console/de/applications.json';
import en from '../../../locales/console/en/applications.json';
import { say, words } from '../app/words.ts';
import { useDraft } from '../shared/draft.ts';
import { Section } from '../shared/section.tsx';
import { State } from '../shared/state.tsx';
import { kindOf, type Application } from './applications.ts';
import { check } from './redirect-uris.ts';

const t = words({ en, de });

/** For whoever stands before "redirect_uri is not registered": is it, and if not, what is different. */
export function RedirectCheck({ app }: { readonly app: Application }) {
  const [asked, setAsked] = useState('');
  // answered as it is typed: there is nothing to ask about, and it comes back
  useDraft(`redirect-check-${app.id}`, asked, asked !== '', setAsked);
  return (
    <Section title={t.check.title} lead={t.check.lead}>
      <TextInput
        label={t.check.field}
        placeholder="https://app.example.com/callback"
        value={asked}
        onChange={({ currentTarget }) => setAsked(currentTarget.value)}
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        maw={640}
      />
      <div aria-live="polite">{asked.trim() !== '' && answerTo(asked.trim(), app)}</div>
    </Section>
  );
}

function answerTo(asked: string, app: Application): ReactNode {
  const { redirectUris = [], devMode = false } = app.oidcConfig ?? {};
  const verdict = check(asked, redirectUris, kindOf(app), devMode);
  const [label, text] = ((): readonly [string, string] => {
    switch (verdict.is) {
      case 'registered':
        return [t.check.accepted, t.check.acceptedText];
      case 'close':
        return [t.check.refused, say(t.check.close[verdict.by], { uri: verdict.to })];
      case 'refused':
        return [t.check.refused, `${t.check.never} ${t.faults[verdict.fault]}`];
      case 'unknown':
        return [t.check.refused, t.check.unknown];
    }
  })();
  return (
    <Text component="div" mt="sm" size="sm" style={{ overflowWrap: 'anywhere' }}>
      <State tone={verdict.is === 'registered' ? 'good' : 'bad'} label={label} /> {text}
    </Text>
  );
}
