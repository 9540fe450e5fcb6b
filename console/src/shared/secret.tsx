import { Alert, Button, Code, CopyButton, Group, Stack, Text } from '@mantine/core';
import de from '../../../locales/console/de/shared.json';
import en from '../../../locales/console/en/shared.json';
import { words } from '../app/words.ts';
import { useHold } from './held.ts';
import { Icon } from './icon.tsx';

const t = words({ en, de });

export function Copy({ value, label = t.secret.copy }: { readonly value: string; readonly label?: string }) {
  return (
    <CopyButton value={value}>
      {({ copied, copy }) => (
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<Icon name={copied ? 'check' : 'copy'} size={14} />}
          onClick={copy}
          aria-live="polite"
        >
          {copied ? t.secret.copied : label}
        </Button>
      )}
    </CopyButton>
  );
}

/** What people take elsewhere, an id say, with a button that copies it. */
export function Copied({ value }: { readonly value: string }) {
  return (
    <Group gap="xs">
      <Text span ff="monospace" size="sm" style={{ overflowWrap: 'anywhere' }}>
        {value}
      </Text>
      <Copy value={value} />
    </Group>
  );
}

interface SecretProperties {
  readonly title: string;
  readonly value: string;
  /** Offers it as a file of this name, too. */
  readonly fileName?: string;
}

/** A secret that is shown this once. It lives in this component alone, and is gone with the page, which nobody is led away from meanwhile. */
export function Secret({ title, value, fileName }: SecretProperties) {
  useHold();
  return (
    <Alert color="yellow" variant="light" title={title} my="md">
      <Stack gap="xs">
        <Text size="sm">{t.secret.once}</Text>
        <Code block style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
          {value}
        </Code>
        <Group gap="xs">
          <Copy value={value} />
          {fileName !== undefined && (
            <Button size="compact-sm" variant="default" onClick={() => download(fileName, value)}>
              {t.secret.download}
            </Button>
          )}
        </Group>
      </Stack>
    </Alert>
  );
}

export function download(fileName: string, text: string, type = 'application/json'): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  // some browsers begin the download only after this
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
