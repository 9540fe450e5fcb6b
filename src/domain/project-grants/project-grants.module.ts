import { Module } from '@nestjs/common';
import { ManageProjectGrants } from './manage-project-grants.js';

/** Projects that an organization lets another one use. */
@Module({ providers: [ManageProjectGrants], exports: [ManageProjectGrants] })
export class ProjectGrantsModule {}
