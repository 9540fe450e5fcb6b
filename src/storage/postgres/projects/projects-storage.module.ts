import { Module } from '@nestjs/common';
import { ProjectGrantsStore } from '../../../domain/project-grants/project-grants.store.js';
import { ProjectsStore } from '../../../domain/projects/projects.store.js';
import { PgProjectGrantsStore } from '../project-grants/project-grants.store.js';
import { storeBindings } from '../store-bindings.js';
import { PgProjectsStore } from './projects.store.js';

/** Projects, their roles, and who else may use them. */
@Module(storeBindings([ProjectsStore, PgProjectsStore], [ProjectGrantsStore, PgProjectGrantsStore]))
export class ProjectsStorageModule {}
