import {
  Alert,
  Anchor,
  Button,
  Group,
  Paper,
  Select,
  Stack,
  Text,
  Textarea,
  TextInput,
  Title,
} from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useRef } from 'react';
import de from '../../../locales/console/de/sign-in.json';
import en from '../../../locales/console/en/sign-in.json';
import { useMay } from '../app/permissions.ts';
import { language as ownLanguage, say, since, words } from '../app/words.ts';
import { useAct } from '../shared/act.ts';
import { Confirm } from '../shared/confirm.tsx';
import { problemText } from '../shared/failure.tsx';
import { useFilters } from '../shared/filters-in-address.ts';
import { NarrowFold } from '../shared/fold.tsx';
import { Unread } from '../shared/found.tsx';
import { AppLink } from '../shared/links.tsx';
import { LoadingRows } from '../shared/loading.tsx';
import { Facts, Section } from '../shared/section.tsx';
import { SettingsForm } from '../shared/settings-form.tsx';
import { State } from '../shared/state.tsx';
import { languageName, LANGUAGES } from './branding.ts';
import { MailPreview } from './mail-preview.tsx';
import { SchemeSwitch, usePreviewScheme, type Scheme } from './scheme-switch.tsx';
import { SignInFrame, type Frame } from './sign-in-frame.tsx';
import {
  textsOfOrganization,
  type MessageType,
  type Template,
  type TemplateKey,
  type TextField,
  type Texts,
  type TextsScope,
} from './texts.ts';

const t = words({ en, de });

const LONGEST: Readonly<Record<TextField, number>> = {
  subject: 120,
  title: 120,
  preheader: 250,
  greeting: 120,
  text: 4000,
  button: 60,
  footer: 1000,
  smsText: 160,
};
/** Placeholders as one writes them, for texts that name them. */
const NAMED = { displayName: '{{displayName}}', code: '{{code}}' };
const FIELDS = Object.keys(LONGEST) as readonly TextField[];
const LONG = new Set<TextField>(['text', 'footer', 'smsText']);

type Values = Record<TextField, string>;

function isMessageType(type: string): type is MessageType {
  return type in t.texts.types;
}

function valuesOf({ template }: Template): Values {
  return Object.fromEntries(FIELDS.map((field) => [field, template[field] ?? ''])) as Values;
}

/** Empty fields are no words of one's own. */
function textsOf(values: Values): Texts {
  return Object.fromEntries(
    FIELDS.flatMap((field) => (values[field].trim() === '' ? [] : [[field, values[field]]])),
  );
}

export function TextPage() {
  const { org = '' } = useParams({ strict: false });
  const may = useMay(org);
  return <OneText scope={textsOfOrganization(org)} frame={SignInFrame} mayChange={may('policy.write')} />;
}

interface OneTextProperties {
  readonly scope: TextsScope;
  readonly frame: Frame;
  readonly mayChange: boolean;
}

/** The words of one message in one language, beside what would be said without them, and what the message would be. */
export function OneText({ scope, frame: Around, mayChange }: OneTextProperties) {
  const { type = '' } = useParams({ strict: false });
  const [{ language }, setFilters] = useFilters();
  const [scheme, setScheme] = usePreviewScheme();
  const shown = LANGUAGES.find((one) => one === language) ?? ownLanguage;
  const isKnown = isMessageType(type);
  const key: TemplateKey = { type: isKnown ? type : 'initialise', language: shown };
  const queryKey = [...scope.key, type, shown];
  const own = t.texts.of[scope.of];
  const found = useQuery({
    queryKey,
    queryFn: async () => await scope.find(key),
    enabled: isKnown,
  });
  const reset = useAct({
    call: async () => await scope.remove(key, found.data?.details.sequence),
    stale: scope.stale,
    done: t.texts.resetDone,
  });
  const template = found.data;
  const save = async (values: Values, sequence: string | undefined): Promise<unknown> => {
    const texts = textsOf(values);
    return await (Object.keys(texts).length === 0
      ? scope.remove(key, sequence)
      : scope.replace(key, texts, sequence));
  };
  return (
    <Around
      title={isKnown ? t.texts.types[type].title : type}
      lead={isKnown ? t.texts.types[type].who : t.texts.unknownType}
      back={
        <AppLink size="sm" to={scope.start}>
          {t.texts.back}
        </AppLink>
      }
      actions={
        template !== undefined &&
        !template.isDefault &&
        mayChange && (
          <Confirm
            label={t.texts.reset}
            title={t.texts.reset}
            text={own.resetText}
            isWorking={reset.isPending}
            onConfirm={() => reset.mutate()}
          />
        )
      }
    >
      {isKnown && (
        <Group align="flex-end" mb="md" gap="md">
          <Select
            label={t.texts.language}
            description={t.texts.languageHelp}
            value={shown}
            onChange={(to) => setFilters({ language: to ?? undefined })}
            data={LANGUAGES.map((value) => ({ value, label: languageName(value) }))}
            allowDeselect={false}
            maw={420}
          />
          {template !== undefined && <Origin template={template} changed={own.changed} />}
        </Group>
      )}
      <Unread found={found} />
      {isKnown && template === undefined && !found.error && <LoadingRows rows={6} />}
      {template !== undefined &&
        (mayChange ? (
          <SettingsForm<Values>
            name={queryKey.join('.')}
            initial={valuesOf(template)}
            sequence={template.details.sequence}
            save={save}
            stale={scope.stale}
            done={t.texts.saved}
            bare
          >
            {(form) => (
              <div className="beside">
                <Fields form={form} template={template} empty={own.empty} />
                <MessagePreview
                  template={template}
                  texts={textsOf(form.values)}
                  of={key}
                  scope={scope}
                  scheme={scheme}
                  onScheme={setScheme}
                  mayTest
                />
              </div>
            )}
          </SettingsForm>
        ) : (
          <div className="beside">
            <Section title={t.texts.title}>
              <Facts
                facts={fieldsOf(template).map((field) => [
                  t.texts.fields[field],
                  template.template[field] ?? template.inherited[field],
                ])}
              />
            </Section>
            <MessagePreview
              template={template}
              texts={template.template}
              of={key}
              scope={scope}
              scheme={scheme}
              onScheme={setScheme}
            />
          </div>
        ))}
    </Around>
  );
}

/** The fields that this message has. */
function fieldsOf({ inherited, template }: Template): readonly TextField[] {
  return FIELDS.filter((field) => inherited[field] !== undefined || template[field] !== undefined);
}

function Origin({ template, changed }: { readonly template: Template; readonly changed: string }) {
  return (
    <Group className="origin" gap="sm" mih={36}>
      <State
        tone={template.isDefault ? 'quiet' : 'good'}
        label={template.isDefault ? t.texts.none : t.texts.own}
      />
      {!template.isDefault && (
        <Text size="sm" c="dimmed">
          {say(changed, { when: since(template.details.changeDate) })}
        </Text>
      )}
    </Group>
  );
}

interface FieldsProperties {
  readonly form: UseFormReturnType<Values>;
  readonly template: Template;
  readonly empty: string;
}

function Fields({ form, template, empty }: FieldsProperties) {
  const fields = fieldsOf(template);
  const first = fields.includes('text') ? 'text' : (fields[0] ?? 'text');
  // where a placeholder goes: the field that one was in, and where in it
  const last = useRef<{ field: TextField; from: number; to: number } | undefined>(undefined);
  function insert(placeholder: string): void {
    const word = `{{${placeholder}}}`;
    const { field, from, to } = last.current ?? { field: first, from: Infinity, to: Infinity };
    const old = form.getValues()[field] === '' ? '' : form.getValues()[field];
    form.setFieldValue(field, `${old.slice(0, from)}${word}${old.slice(to)}` as never);
    const at = Math.min(from, old.length) + word.length;
    last.current = { field, from: at, to: at };
  }
  return (
    <Paper p={{ base: 'md', sm: 'lg' }}>
      <Stack gap="lg">
        <div>
          <Text fw={600} size="sm">
            {t.texts.placeholders}
          </Text>
          <Text size="xs" c="dimmed" mb="xs">
            {t.texts.placeholdersHelp}
          </Text>
          <ul className="placeholders">
            {template.placeholders.map((name) => (
              <li key={name}>
                <Button
                  variant="default"
                  size="compact-sm"
                  ff="monospace"
                  aria-label={say(t.texts.insert, { name })}
                  onClick={() => insert(name)}
                >
                  {`{{${name}}}`}
                </Button>
                <Text span size="sm" c="dimmed">
                  {(t.texts.placeholder as Readonly<Record<string, string>>)[name]}
                </Text>
              </li>
            ))}
          </ul>
        </div>
        <Text size="sm" c="dimmed">
          {empty}
        </Text>
        {fields.map((field) => (
          <WordsField
            key={field}
            form={form}
            field={field}
            inherited={template.inherited[field] ?? ''}
            onLeave={(from, to) => {
              last.current = { field, from, to };
            }}
          />
        ))}
        <Text size="sm" c="dimmed">
          {template.inherited.smsText === undefined ? t.texts.fixed : t.texts.fixedSms}
        </Text>
      </Stack>
    </Paper>
  );
}

interface WordsFieldProperties {
  readonly form: UseFormReturnType<Values>;
  readonly field: TextField;
  readonly inherited: string;
  readonly onLeave: (from: number, to: number) => void;
}

function WordsField({ form, field, inherited, onLeave }: WordsFieldProperties) {
  const value = form.values[field];
  const properties = {
    label: t.texts.fields[field],
    description: say(t.texts.help[field], NAMED),
    placeholder: inherited,
    maxLength: LONGEST[field],
    ...form.getInputProps(field),
    onBlur: ({
      currentTarget: { selectionStart, selectionEnd },
    }: React.FocusEvent<HTMLInputElement | HTMLTextAreaElement>) =>
      onLeave(selectionStart ?? Infinity, selectionEnd ?? Infinity),
  };
  return (
    <div>
      {LONG.has(field) ? (
        <Textarea {...properties} autosize minRows={2} maxRows={14} />
      ) : (
        <TextInput {...properties} />
      )}
      {inherited !== '' && value === '' && (
        <Anchor
          component="button"
          type="button"
          size="xs"
          aria-label={`${t.texts.fields[field]}: ${t.texts.takeOver}`}
          onClick={() => form.setFieldValue(field, inherited)}
        >
          {t.texts.takeOver}
        </Anchor>
      )}
      {inherited !== '' && value !== '' && value !== inherited && (
        <Text size="xs" c="dimmed" mt={4} style={{ whiteSpace: 'pre-line' }}>
          {t.texts.inherited} {inherited}
        </Text>
      )}
    </div>
  );
}

interface MessagePreviewProperties {
  readonly template: Template;
  readonly texts: Texts;
  readonly scope: TextsScope;
  readonly of: TemplateKey;
  readonly scheme: Scheme;
  readonly onScheme: (scheme: Scheme) => void;
  /** Whoever may write the words may have them sent to themselves. */
  readonly mayTest?: boolean;
}

/** Nothing at all would be what is stored; the inherited words, said once, stand for it. */
function said(texts: Texts, { inherited }: Template): Texts {
  if (Object.keys(texts).length > 0) return texts;
  return inherited.smsText === undefined ? { title: inherited.title ?? '' } : { smsText: inherited.smsText };
}

/** On a phone below its fields, for whoever wants it. */
function MessagePreview(properties: MessagePreviewProperties) {
  return (
    <NarrowFold plain title={t.texts.preview} lead={t.texts.previewLead}>
      <ShownMessage {...properties} />
    </NarrowFold>
  );
}

function ShownMessage({
  template,
  texts,
  scope,
  of: key,
  scheme,
  onScheme,
  mayTest = false,
}: MessagePreviewProperties) {
  const [body] = useDebouncedValue(said(texts, template), 300);
  const { type, language } = key;
  const preview = useQuery({
    queryKey: [...scope.key, type, language, 'preview', body],
    queryFn: async () => await scope.preview(key, body),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });
  const { mail, sms } = preview.data ?? {};
  return (
    <section aria-label={t.texts.preview} className="beside-fixed">
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h4">
          {t.texts.preview}
        </Title>
        {mail !== undefined && <SchemeSwitch scheme={scheme} onChange={onScheme} />}
      </Group>
      {preview.error && (
        <Alert color="yellow" variant="light" role="status" mb="sm" title={t.texts.previewProblem}>
          {problemText(preview.error)}
        </Alert>
      )}
      {preview.data === undefined && !preview.error && <LoadingRows rows={4} />}
      {mail !== undefined && (
        <>
          <Paper p="sm" mb="xs">
            <Text size="xs" c="dimmed">
              {t.branding.preview.subject}
            </Text>
            <Text fw={600}>{mail.subject}</Text>
          </Paper>
          <MailPreview label={t.texts.previewLabel} html={mail.html} scheme={scheme} />
          {mayTest && <TestOfTexts scope={scope} of={key} texts={said(texts, template)} />}
        </>
      )}
      {sms !== undefined && (
        <>
          <Paper p="md" className="short-message">
            {sms.text}
          </Paper>
          <Text size="sm" c="dimmed" mt="xs">
            {say(t.texts.segments, { count: sms.segments, encoding: sms.encoding })}
          </Text>
        </>
      )}
    </section>
  );
}

interface TestOfTextsProperties {
  readonly scope: TextsScope;
  readonly of: TemplateKey;
  readonly texts: Texts;
}

/** The mail as it stands in the form, to whoever looks at it. */
function TestOfTexts({ scope, of: key, texts }: TestOfTextsProperties) {
  const send = useAct({
    call: async () => await scope.test(key, texts),
    stale: [],
    done: ({ sentTo }) => say(t.texts.test.sent, { address: sentTo }),
  });
  return (
    <Group mt="sm" gap="sm">
      <Button variant="default" loading={send.isPending} onClick={() => send.mutate()}>
        {t.texts.test.send}
      </Button>
      <Text size="sm" c="dimmed" flex="1 1 240px">
        {t.texts.test.help}
      </Text>
    </Group>
  );
}
