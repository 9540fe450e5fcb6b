import { Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import de from '../../../locales/console/de/sign-in.json';
import en from '../../../locales/console/en/sign-in.json';
import { since, words } from '../app/words.ts';
import { AppLink } from '../shared/links.tsx';
import { List, type Column } from '../shared/list.tsx';
import { State } from '../shared/state.tsx';
import { languageName } from './branding.ts';
import { SignInFrame, type Frame } from './sign-in-frame.tsx';
import {
  textPath,
  textsOfOrganization,
  type ListedTemplate,
  type MessageType,
  type TextsScope,
} from './texts.ts';

const t = words({ en, de });

/** In the order in which people meet them. */
const GROUPS: Readonly<Record<keyof typeof t.texts.groups, readonly MessageType[]>> = {
  access: [
    'initialise',
    'register',
    'verify_email',
    'reset_password',
    'reset_choice',
    'account_exists',
    'second_factor_email',
  ],
  notices: [
    'password_changed',
    'email_changed',
    'phone_changed',
    'passkey_added',
    'passkey_removed',
    'factor_added',
    'factor_removed',
    'factors_reset',
    'recovery_codes_made',
    'recovery_code_used',
    'account_deleted',
  ],
  sms: ['verify_phone', 'second_factor_sms'],
};

interface Row {
  readonly type: MessageType;
  readonly own: readonly ListedTemplate[];
}

/** Every message that the service sends, and which of them this organization says in its own words. */
export function TextsPage() {
  const { org = '' } = useParams({ strict: false });
  return <AllTexts scope={textsOfOrganization(org)} frame={SignInFrame} />;
}

/** The same for either scope; around it stands what its other pages have. */
export function AllTexts({ scope, frame: Around }: { readonly scope: TextsScope; readonly frame: Frame }) {
  const list = useQuery({ queryKey: scope.key, queryFn: scope.list });
  return (
    <Around title={t.texts.title} lead={t.texts.of[scope.of].lead}>
      {Object.entries(GROUPS).map(([group, types]) => {
        const title = t.texts.groups[group as keyof typeof GROUPS];
        return (
          <section key={group} aria-label={title} className="text-group">
            <Title order={2} size="h4" mb="xs">
              {title}
            </Title>
            <List
              label={title}
              columns={columns(scope)}
              rows={
                list.data &&
                types.map((type) => ({ type, own: list.data.filter((one) => one.type === type) }))
              }
              keyOf={({ type }) => type}
              error={list.error}
              onRetry={() => void list.refetch()}
              isWhole
              step={5}
              empty={null}
            />
          </section>
        );
      })}
    </Around>
  );
}

function columns(scope: TextsScope): readonly Column<Row>[] {
  return [
    {
      label: t.texts.message,
      cell: ({ type, own }) => (
        <>
          <AppLink
            className="row-link"
            to={textPath(scope, type)}
            {...(own[0] !== undefined && { search: { language: own[0].language } })}
          >
            {t.texts.types[type].title}
          </AppLink>
          <Text size="sm" c="dimmed">
            {t.texts.types[type].who}
          </Text>
        </>
      ),
    },
    {
      label: t.texts.own,
      cell: ({ own }) =>
        own.length === 0 ? (
          <State tone="quiet" label={t.texts.none} />
        ) : (
          <State tone="good" label={own.map(({ language }) => languageName(language)).join(', ')} />
        ),
      width: '32%',
    },
    {
      label: t.texts.changed,
      cell: ({ own }) => since(latest(own)),
      wide: true,
      width: 160,
    },
  ];
}

function latest(own: readonly ListedTemplate[]): string | undefined {
  return own
    .flatMap(({ details: { changeDate } }) => (changeDate === undefined ? [] : [changeDate]))
    .sort()
    .at(-1);
}
