// A hollow node for the lab: the kubelet's own code (sync loop, pod workers, volume manager, prober, PLEG, status,
// HTTPS server with authentication and authorization) over a fake container runtime, fake cadvisor and fake mounts.
//
// Upstream's hollow node, cmd/kubemark, serves plain HTTP without authentication and runs under
// context.Background(), whose children register with nobody: kubernetes#139823 cannot show there. This one gets the
// cancellable root context that cmd/kubelet has.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"go.opentelemetry.io/otel/trace/noop"
	"k8s.io/apimachinery/pkg/types"
	genericapiserver "k8s.io/apiserver/pkg/server"
	clientset "k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/component-base/configz"
	_ "k8s.io/component-base/metrics/prometheus/restclient"
	_ "k8s.io/component-base/metrics/prometheus/version"
	criclient "k8s.io/cri-client/pkg"
	crifake "k8s.io/cri-client/pkg/fake"
	"k8s.io/klog/v2"
	kubeletconfigv1beta1 "k8s.io/kubelet/config/v1beta1"
	kubeletapp "k8s.io/kubernetes/cmd/kubelet/app"
	"k8s.io/kubernetes/cmd/kubelet/app/options"
	kubeletconfig "k8s.io/kubernetes/pkg/kubelet/apis/config"
	kubeletscheme "k8s.io/kubernetes/pkg/kubelet/apis/config/scheme"
	cadvisortest "k8s.io/kubernetes/pkg/kubelet/cadvisor/testing"
	"k8s.io/kubernetes/pkg/kubelet/cm"
	"k8s.io/kubernetes/pkg/kubemark"
	"k8s.io/mount-utils"
)

const (
	maxPods               = 150
	apiQueriesPerSecond   = 50
	runtimeTimeout        = 15 * time.Second
	forgetCallsEvery      = 2 * time.Second
	lastWordsAfterSigterm = time.Second
)

type settings struct {
	name, kubeconfig, address, clientCA, root, tlsCert, tlsKey string
	port                                                       int
	syncFrequency                                              time.Duration
	debuggingHandlers, contentionProfiling                     bool
}

func main() {
	var s settings
	flag.StringVar(&s.name, "name", "", "node name")
	flag.StringVar(&s.kubeconfig, "kubeconfig", "", "kubeconfig of system:node:NAME in group system:nodes")
	flag.StringVar(&s.address, "address", "", "node address, not a loopback one; the HTTPS server listens there")
	flag.IntVar(&s.port, "port", 10250, "HTTPS port")
	flag.StringVar(&s.clientCA, "client-ca", "", "CA of client certificates")
	flag.StringVar(&s.tlsCert, "tls-cert", "", "serving certificate; a self-signed one is made without it")
	flag.StringVar(&s.tlsKey, "tls-key", "", "key of the serving certificate")
	flag.StringVar(&s.root, "root", "", "folder of the kubelet's state")
	flag.DurationVar(&s.syncFrequency, "sync-frequency", time.Minute, "time between two syncs of a pod")
	flag.BoolVar(&s.debuggingHandlers, "debugging-handlers", true, "serve /debug/pprof, exec, logs and the like")
	flag.BoolVar(&s.contentionProfiling, "contention-profiling", false, "fill the block profile")
	klog.InitFlags(nil)
	flag.Parse()
	logWithoutFakes()
	if err := run(genericapiserver.SetupSignalContext(), s); err != nil {
		fmt.Fprintln(os.Stderr, "node:", err)
		os.Exit(1)
	}
}

// logWithoutFakes leaves out what the fakes do not implement: two lines for every sync of every pod.
func logWithoutFakes() {
	klog.LogToStderr(false)
	for name, value := range map[string]string{"one_output": "true", "stderrthreshold": "FATAL"} {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
	klog.SetOutput(withoutFakes{os.Stderr})
}

type withoutFakes struct{ io.Writer }

func (w withoutFakes) Write(line []byte) (int, error) {
	if bytes.Contains(line, []byte(`err="not implemented"`)) || bytes.Contains(line, []byte("unimplemented testing mock")) {
		return len(line), nil
	}
	return w.Writer.Write(line)
}

func run(ctx context.Context, s settings) error {
	// The hollow kubelet blocks for ever, even when its context is cancelled; the real one ends.
	context.AfterFunc(ctx, func() {
		time.Sleep(lastWordsAfterSigterm)
		os.Exit(0)
	})
	flags, config, err := configure(s)
	if err != nil {
		return err
	}
	client, heartbeat, err := connect(s.kubeconfig, config.NodeStatusUpdateFrequency.Duration)
	if err != nil {
		return err
	}

	// A socket file outlives a killed kubelet.
	socket := filepath.Join(s.root, "runtime.sock")
	if err := os.RemoveAll(socket); err != nil {
		return err
	}
	endpoint := "unix://" + socket
	runtime := crifake.NewFakeRemoteRuntime()
	if err := runtime.Start(endpoint); err != nil {
		return err
	}
	defer runtime.Stop()
	runtimeService, err := criclient.NewRemoteRuntimeService(ctx, endpoint, runtimeTimeout, noop.NewTracerProvider(), false)
	if err != nil {
		return err
	}

	kubelet := kubemark.NewHollowKubelet(flags, config, client, heartbeat,
		&cadvisortest.Fake{NodeName: s.name}, runtime.ImageService, runtimeService, cm.NewStubContainerManager())
	deps := kubelet.KubeletDeps
	if deps.TLSOptions, err = kubeletapp.InitializeTLS(ctx, flags, config); err != nil {
		return err
	}
	auth, reloadCertificates, err := kubeletapp.BuildAuth(types.NodeName(s.name), client, *config)
	if err != nil {
		return err
	}
	reloadCertificates(ctx.Done())
	deps.Auth = auth
	// nil makes the kubelet build the real ones. Exec probes go to the fake runtime, where they succeed.
	deps.ProbeManager = nil
	deps.Recorder = nil
	deps.EventClient = client.CoreV1()
	if err := publishConfig(config); err != nil {
		return err
	}
	go forgetCalls(runtime, deps.Mounter)
	kubelet.Run(ctx)
	return nil
}

func configure(s settings) (*options.KubeletFlags, *kubeletconfig.KubeletConfiguration, error) {
	flags, config := kubemark.GetHollowKubeletConfig(&kubemark.HollowKubeletOptions{
		NodeName: s.name, KubeletPort: s.port, MaxPods: maxPods, NodeLabels: map[string]string{},
	})
	// It made a root folder under /tmp that nobody would remove.
	if err := os.RemoveAll(flags.RootDirectory); err != nil {
		return nil, nil, err
	}
	flags.RootDirectory = s.root
	flags.CertDirectory = filepath.Join(s.root, "pki")
	config.StaticPodPath = filepath.Join(s.root, "static-pods")
	config.PodLogsDir = filepath.Join(s.root, "pod-logs")
	for _, folder := range []string{config.StaticPodPath, config.PodLogsDir} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return nil, nil, err
		}
	}

	flags.NodeIP, config.Address = s.address, s.address
	config.TLSCertFile, config.TLSPrivateKeyFile = s.tlsCert, s.tlsKey
	config.SyncFrequency.Duration = s.syncFrequency
	config.EnableDebuggingHandlers = s.debuggingHandlers
	config.EnableContentionProfiling = s.contentionProfiling
	config.ResolverConfig, config.ClusterDomain = "", "cluster.local"
	// Raising the limit above what is allowed needs CAP_SYS_RESOURCE.
	config.MaxOpenFiles = 16384

	// The defaults of a real kubelet; the hollow one has no authentication.
	config.Authentication.X509.ClientCAFile = s.clientCA
	config.Authentication.Anonymous.Enabled = false
	config.Authentication.Webhook.Enabled = true
	config.Authentication.Webhook.CacheTTL.Duration = 2 * time.Minute
	config.Authorization.Mode = kubeletconfig.KubeletAuthorizationModeWebhook
	config.Authorization.Webhook.CacheAuthorizedTTL.Duration = 5 * time.Minute
	config.Authorization.Webhook.CacheUnauthorizedTTL.Duration = 30 * time.Second
	return flags, config, nil
}

func connect(kubeconfig string, heartbeatTimeout time.Duration) (client, heartbeat *clientset.Clientset, err error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, nil, err
	}
	config.ContentType = "application/vnd.kubernetes.protobuf"
	config.UserAgent = "kubelet"
	config.QPS, config.Burst = apiQueriesPerSecond, 2*apiQueriesPerSecond
	if client, err = clientset.NewForConfig(config); err != nil {
		return nil, nil, err
	}
	beat := rest.CopyConfig(config)
	beat.Timeout, beat.QPS = heartbeatTimeout, -1
	heartbeat, err = clientset.NewForConfig(beat)
	return client, heartbeat, err
}

// publishConfig fills /configz, as cmd/kubelet does.
func publishConfig(config *kubeletconfig.KubeletConfiguration) error {
	scheme, _, err := kubeletscheme.NewSchemeAndCodecs()
	if err != nil {
		return err
	}
	versioned := &kubeletconfigv1beta1.KubeletConfiguration{}
	if err := scheme.Convert(config, versioned, nil); err != nil {
		return err
	}
	versioned.GetObjectKind().SetGroupVersionKind(kubeletconfigv1beta1.SchemeGroupVersion.WithKind("KubeletConfiguration"))
	page, err := configz.New("kubeletconfig")
	if err != nil {
		return err
	}
	return page.Set(versioned)
}

// forgetCalls empties the call logs of the fakes, which would be a leak of the lab's own.
func forgetCalls(runtime *crifake.RemoteRuntime, mounter mount.Interface) {
	for range time.Tick(forgetCallsEvery) {
		runtime.RuntimeService.Lock()
		runtime.RuntimeService.Called = nil
		runtime.RuntimeService.Unlock()
		runtime.ImageService.Lock()
		runtime.ImageService.Called = nil
		runtime.ImageService.Unlock()
		if fake, ok := mounter.(*mount.FakeMounter); ok {
			fake.ResetLog()
		}
	}
}
