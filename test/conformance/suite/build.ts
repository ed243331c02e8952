/** Builds the suite from its sources, which are fetched by whoever runs it: docs/conformance.md. */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findJava, folders, release } from '../work-folder.ts';
import { leaveDocumentsOut } from './left-out.ts';

/** @param from  its repository, with or without files, or a folder of this release's files */
export function buildSuite(from: string): void {
  const { home } = findJava();
  rmSync(folders.sources, { recursive: true, force: true });
  mkdirSync(folders.sources, { recursive: true });
  mkdirSync(folders.logs, { recursive: true });
  unpack(from);
  leaveDocumentsOut(folders.sources);
  const project = join(folders.sources, 'pom.xml');
  writeFileSync(project, withoutChecks(readFileSync(project, 'utf8')));
  writeFileSync(join(folders.sources, 'src/main/resources/git.properties'), gitProperties);
  const log = join(folders.logs, 'build.log');
  const built = spawnSync('mvn', ['-B', '-ntp', '-Dmaven.test.skip=true', '-Djacoco.skip=true', 'package'], {
    cwd: folders.sources,
    env: { ...process.env, JAVA_HOME: home },
    stdio: ['ignore', openSync(log, 'w'), 'inherit'],
  });
  if (built.status !== 0) throw new Error(`Maven did not build the suite: see ${log}`);
  rmSync(folders.built, { recursive: true, force: true });
  mkdirSync(folders.built, { recursive: true });
  execFileSync(join(home, 'bin/jar'), ['-xf', join(folders.sources, 'target/fapi-test-suite.jar')], {
    cwd: folders.built,
  });
  fetchDatabase();
}

/** Libraries of the database that the suite writes to. */
function fetchDatabase(): void {
  const copy = ['dependency:copy-dependencies', `-DoutputDirectory=${folders.database}`];
  execFileSync('mvn', ['-B', '-ntp', '-q', '-f', join(import.meta.dirname, '../mongo/pom.xml'), ...copy]);
}

function unpack(from: string): void {
  if (existsSync(join(from, 'pom.xml')) && !existsSync(join(from, '.git'))) {
    cpSync(from, folders.sources, { recursive: true });
    return;
  }
  const archive = execFileSync('git', ['-C', from, 'archive', release], { maxBuffer: 1 << 30 });
  execFileSync('tar', ['-x', '-C', folders.sources], { input: archive });
}

/** What checks the suite's own style or asks its repository takes no part in what it tests. */
const plugins = [
  'git-commit-id-maven-plugin',
  'kotlin-maven-plugin',
  'maven-checkstyle-plugin',
  'maven-pmd-plugin',
  'maven-surefire-plugin',
  'rewrite-maven-plugin',
];

function withoutChecks(project: string): string {
  return project
    .replace(/<compilerArgs>.*?<\/compilerArgs>/gs, '')
    .replace(/<annotationProcessorPaths>.*?<\/annotationProcessorPaths>/gs, '<proc>none</proc>')
    .replace(/^\t*<plugin>(?:(?!<\/?plugin>).)*?<\/plugin>\n/gms, (plugin) =>
      plugins.some((name) => plugin.includes(`<artifactId>${name}</artifactId>`)) ? '' : plugin,
    )
    .replace(/<dependency>(?:(?!<\/dependency>).)*?<\/dependency>/gs, (dependency) =>
      dependency.includes('<groupId>org.multipaz</groupId>') ? '' : dependency,
    );
}

/** What it says of itself on its pages. */
const gitProperties = `git.tags=${release}
git.closest.tag.name=${release}
git.branch=${release}
git.commit.id=c80d7eb662cdc1764b667ebbb157f19515d1b29d
git.commit.id.abbrev=c80d7eb
git.build.time=0
git.commit.time=0
`;
