import { Button, FileButton, Paper, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import de from '../../../locales/console/de/imports.json';
import en from '../../../locales/console/en/imports.json';
import { words } from '../app/words.ts';

const t = words({ en, de });
const TAKEN = '.csv,.ndjson,.jsonl,.json,.gz,.zst,text/csv,application/json';

/** A place to drop a file on, and a button for whoever does not drop. */
export function ChooseFile({ onFile }: { readonly onFile: (file: File) => void }) {
  const [isOver, setOver] = useState(false);
  return (
    <Paper
      p="xl"
      maw={1200}
      className="drop-place"
      data-over={isOver || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        const [file] = event.dataTransfer.files;
        if (file !== undefined) onFile(file);
      }}
    >
      <Stack align="center" gap="sm" py="lg">
        <Text fw={600} size="lg">
          {t.file.drop}
        </Text>
        <FileButton
          onChange={(file) => {
            if (file !== null) onFile(file);
          }}
          accept={TAKEN}
          inputProps={{ 'aria-label': t.file.choose, tabIndex: -1 }}
        >
          {(properties) => <Button {...properties}>{t.file.choose}</Button>}
        </FileButton>
        <Text c="dimmed" size="sm" ta="center">
          {t.file.formats}
        </Text>
      </Stack>
    </Paper>
  );
}
