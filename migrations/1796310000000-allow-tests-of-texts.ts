import type { MigrationInterface, QueryRunner } from 'typeorm';
import { allowTemplates } from './allow-templates.js';

/** A message as it would be, to who writes its words. It has no words of its own to set. */
export class AllowTestsOfTexts1796310000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await allowTemplates(runner, (before) => [...before, TEST], ['notifications']);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM notifications WHERE template = '${TEST}'`);
    await allowTemplates(runner, (before) => before.filter((template) => template !== TEST), [
      'notifications',
    ]);
  }
}

const TEST = 'template_test';
